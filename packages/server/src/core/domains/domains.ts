// Custom domains: attached to a project, showing production or a branch.
import { Fault } from '../../lib/fault.ts'
import { findLatestBranchDeployment } from '../../store/deployments/stored.ts'
import { hasten, readyAmong } from '../../store/domains/certificates.ts'
import {
  countDomains,
  deleteDomain,
  findDomain,
  listDomains,
  setBranch,
  setVerified,
} from '../../store/domains/domains.ts'
import { lockAccount } from '../../store/identity/accounts.ts'
import { lockOrg } from '../../store/orgs/orgs.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Changed, Db, Tx } from '../../store/store.ts'
import type { DomainRow, ProjectRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { requireRoom } from '../base/plans.ts'
import type { BuildParts, DomainProofs, PlanSettings, Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { type BranchSource, branchSource } from '../builds/branches.ts'
import { whyNoMinutes } from '../builds/minutes.ts'
import { queueBuild } from '../builds/queue.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { takeDomain, tellFormerHolder } from './claims.ts'
import { domainName } from './names.ts'
import { describeProof, type Evidence, evidenceFor, type ProofRecord, releaseDomain } from './proof.ts'
import { choosePrimary, forgetRedirects, redirectDomain } from './redirects.ts'

interface Attached {
  isNew: boolean
  domain: {
    domain: string
    branch: string | null
    build_id: string | null
    tls_ready: boolean
    dns_target: string
    verified?: boolean
    proof?: ProofRecord | null
  }
}

/** Attaches a domain, or checks an attached one again. If `branch` is given, the domain tracks it. */
export async function attachDomain(
  platform: BuildParts & DomainProofs & Pick<Platform, 'domain' | 'mailer' | 'urls'>,
  caller: Caller,
  project: ProjectScope,
  input: { domain: string; branch?: string | null | undefined },
): Promise<Attached> {
  const name = domainName(input.domain, platform)
  const source = await branchSource(platform, project, input.branch)
  const evidence = await evidenceFor(platform, name, project)
  const { from, ...attached } = await platform.store.transact(async (tx, changed) => {
    await lockOwner(tx, project)
    await hold(tx, project)
    const known = await findDomain(tx, name)
    if (known?.project_id === project.id) {
      const row = await attachAgain(platform, tx, changed, { caller, project, evidence }, known, input.branch)
      const isRetargeted = row.branch !== known.branch
      const buildId = isRetargeted ? await firstBuild(platform, tx, changed, caller, source) : null
      const domain = await describeAttached(platform, tx, row, project, buildId)
      return { isNew: false, from: undefined, domain }
    }
    await requireDomainRoom(platform, tx, project)
    const branch = input.branch ?? null
    const { row, from } = await takeDomain(
      platform,
      tx,
      { caller, project, evidence },
      {
        domain: name,
        project_id: project.id,
        branch,
        deployment_id: await latestOf(tx, project.id, branch),
        created_at: platform.clock.now(),
      },
    )
    if (!from)
      await audit(platform, tx, caller, {
        action: 'domain.attach',
        project,
        target: name,
        details: { branch },
      })
    if (from) await forgetRedirects(tx, changed, name)
    await changed({ topic: 'domain', key: name })
    const buildId = await firstBuild(platform, tx, changed, caller, source)
    return { isNew: true, from, domain: await describeAttached(platform, tx, row, project, buildId) }
  })
  // If this fails, only the email is lost. The domain has been moved.
  if (from) void tellFormerHolder(platform, name, from).catch(() => undefined)
  return attached
}

/** Changes the branch if one is given, checks the certificate again, and records proof that was found. */
async function attachAgain(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  changed: Changed,
  { caller, project, evidence }: { caller: Caller; project: ProjectScope; evidence: Evidence },
  known: DomainRow,
  branch = known.branch,
): Promise<DomainRow> {
  const now = platform.clock.now()
  const { domain } = known
  const row = branch === known.branch ? known : await track(tx, changed, known, branch)
  if (row !== known)
    await audit(platform, tx, caller, {
      action: 'domain.retarget',
      project,
      target: domain,
      details: { branch },
    })
  if (await hasten(tx, domain, now)) await changed({ topic: 'certificate', key: domain })
  const isProved = evidence.txt || evidence.pointing
  if (!isProved || !(await setVerified(tx, row, now))) return row
  await changed({ topic: 'domain', key: domain })
  return { ...row, verified_at: now }
}

interface DomainChange {
  branch?: string | null | undefined
  redirect_to?: string | null | undefined
  primary?: boolean | undefined
}

export async function changeDomain(
  platform: BuildParts & Pick<Platform, 'dnsTarget' | 'domain' | 'domainProof'>,
  caller: Caller,
  project: ProjectScope,
  domain: string,
  { branch, redirect_to: redirectTo, primary }: DomainChange,
) {
  if (branch === undefined && redirectTo === undefined && primary === undefined)
    throw new Fault('invalid_request', 'Nothing to change: send branch, redirect_to or primary.')
  const source = await branchSource(platform, project, branch)
  const by = { caller, project }
  return await platform.store.transact(async (tx, changed) => {
    let row = await lockDomain(platform, tx, project, domain)
    let buildId: string | null = null
    if (branch !== undefined) {
      row = await track(tx, changed, row, branch)
      const entry = { action: 'domain.retarget', project, target: row.domain, details: { branch } } as const
      await audit(platform, tx, caller, entry)
      buildId = await firstBuild(platform, tx, changed, caller, source)
    }
    if (primary === false) row = await choosePrimary(platform, tx, by, row, false)
    if (redirectTo !== undefined) row = await redirectDomain(platform, tx, changed, by, row, redirectTo)
    if (primary) row = await choosePrimary(platform, tx, by, row, true)
    return await describeAttached(platform, tx, row, project, buildId)
  })
}

export async function detachDomain(
  platform: Rows & Pick<Platform, 'dnsTarget' | 'domain'>,
  caller: Caller,
  project: ProjectScope,
  domain: string,
): Promise<void> {
  await platform.store.transact(async (tx, changed) => {
    const row = await lockDomain(platform, tx, project, domain)
    await deleteDomain(tx, project.id, row.domain)
    await forgetRedirects(tx, changed, row.domain)
    await releaseDomain(tx, row, project, platform.clock.now())
    await audit(platform, tx, caller, { action: 'domain.detach', project, target: row.domain })
    await changed({ topic: 'domain', key: row.domain })
    // The row of the domain is gone and does not lead to its project any more.
    await changed({ topic: 'project', key: project.name })
  })
}

export async function domainsOf(
  platform: Pick<Platform, 'dnsTarget' | 'domainProof' | 'store'>,
  project: ProjectRow,
) {
  const rows = await listDomains(platform.store.db, project.id)
  const names = rows.map(row => row.domain)
  const ready = await readyAmong(platform.store.db, names)
  return rows.map(row => ({
    domain: row.domain,
    branch: row.branch,
    deployment_id: row.deployment_id,
    tls_ready: ready.has(row.domain),
    dns_target: platform.dnsTarget,
    created_at: isoTime(row.created_at),
    redirect_to: row.redirect_to,
    primary: row.is_primary === 1,
    ...describeProof(platform, row, project),
  }))
}

/** It serves the branch's latest deployment if there is one, else production until one lands. */
async function track(tx: Tx, changed: Changed, row: DomainRow, branch: string | null): Promise<DomainRow> {
  const target = { branch, deployment_id: await latestOf(tx, row.project_id, branch) }
  await setBranch(tx, row.domain, target)
  await changed({ topic: 'domain', key: row.domain })
  return { ...row, ...target }
}

const latestOf = async (tx: Tx, projectId: string, branch: string | null): Promise<string | null> =>
  branch === null ? null : ((await findLatestBranchDeployment(tx, projectId, branch)) ?? null)

export async function ownDomain(
  platform: Pick<Platform, 'dnsTarget' | 'domain'>,
  db: Db,
  project: ProjectScope,
  input: string,
): Promise<DomainRow> {
  const row = await findDomain(db, domainName(input, platform))
  if (row?.project_id !== project.id)
    throw new Fault('not_found', `The domain '${input.slice(0, 100)}' is not attached to this project.`)
  return row
}

/** Locks the domain of the project until the transaction ends. */
export async function lockDomain(
  platform: Pick<Platform, 'dnsTarget' | 'domain'>,
  tx: Tx,
  project: ProjectScope,
  input: string,
): Promise<DomainRow> {
  await hold(tx, project)
  return await ownDomain(platform, tx, project, input)
}

async function hold(tx: Tx, project: ProjectScope): Promise<void> {
  if (!(await lockProject(tx, project.id))) throw new Fault('not_found', 'The project has just been deleted.')
}

/** The owner is always locked before the project, to avoid deadlocks. */
async function lockOwner(tx: Tx, project: ProjectScope): Promise<void> {
  if (project.org_id) await lockOrg(tx, project.org_id)
  else await lockAccount(tx, project.account_id ?? '')
}

async function requireDomainRoom(platform: PlanSettings, tx: Tx, project: ProjectScope): Promise<void> {
  const owner = project.org_id ? { orgId: project.org_id } : { accountId: project.account_id ?? '' }
  const ownerId = project.org_id ?? project.account_id ?? ''
  await requireRoom(platform, tx, ownerId, 'domains', await countDomains(tx, owner))
}

/** Queues the first build of a branch that a domain now tracks. `null` if there is nothing to build. */
async function firstBuild(
  platform: PlanSettings,
  tx: Tx,
  changed: Changed,
  caller: Caller,
  source: BranchSource | undefined,
): Promise<string | null> {
  if (!source || (await whyNoMinutes(platform, tx, source.repo.project_id))) return null
  const build = await queueBuild(platform, tx, changed, { ...source, requestedBy: caller.account.id })
  return build.id
}

async function describeAttached(
  platform: Pick<Platform, 'dnsTarget' | 'domainProof'>,
  tx: Tx,
  row: DomainRow,
  project: ProjectScope,
  buildId: string | null,
): Promise<Attached['domain']> {
  return {
    domain: row.domain,
    branch: row.branch,
    build_id: buildId,
    tls_ready: (await readyAmong(tx, [row.domain])).has(row.domain),
    dns_target: platform.dnsTarget,
    ...describeProof(platform, row, project),
  }
}
