// Custom domains: attached to a project, showing production or a branch.
import { Fault } from '../lib/fault.ts'
import { lockAccount } from '../store/accounts.ts'
import { hasten, readyAmong } from '../store/certificates.ts'
import { findLatestBranchDeployment } from '../store/deployments.ts'
import {
  countDomains,
  deleteDomain,
  findDomain,
  insertDomain,
  listDomains,
  setBranch,
} from '../store/domains.ts'
import { lockOrg } from '../store/orgs.ts'
import { holdProject } from '../store/projects.ts'
import type { Changed, Db, Tx } from '../store/store.ts'
import type { DomainRow } from '../store/tables.ts'
import { audit } from './audit.ts'
import { requireBranchName } from './branch-names.ts'
import type { Caller } from './callers.ts'
import { domainName } from './domain-names.ts'
import { requireRoom } from './plans.ts'
import type { Platform } from './platform.ts'
import type { ProjectScope } from './rights.ts'
import { isoTime } from './times.ts'

/** Without a linked repository. */
const productionBranch = 'main'

export interface Attached {
  isNew: boolean
  domain: {
    domain: string
    branch: string | null
    build_id: string | null
    tls_ready: boolean
    dns_target: string
  }
}

/** Attaches a domain, or has another look at one that is attached; a `branch` that is given is what it then tracks. */
export async function attachDomain(
  platform: Platform,
  caller: Caller,
  project: ProjectScope,
  input: { domain: string; branch?: string | null | undefined },
): Promise<Attached> {
  const name = domainName(input.domain, platform)
  checkBranch(input.branch)
  return await platform.store.transact(async (tx, changed) => {
    await lockOwner(tx, project)
    await hold(tx, project)
    const known = await findDomain(tx, name)
    if (known) {
      if (known.project_id !== project.id) throw taken(name)
      const { branch = known.branch } = input
      const row = branch === known.branch ? known : await track(tx, changed, known, branch)
      if (row !== known)
        await audit(platform, tx, caller, {
          action: 'domain.retarget',
          project,
          target: name,
          details: { branch },
        })
      if (await hasten(tx, name, platform.clock.now())) await changed({ topic: 'certificate', key: name })
      return { isNew: false, domain: await describeAttached(platform, tx, row) }
    }
    await requireDomainRoom(platform, tx, project)
    const branch = input.branch ?? null
    const row: DomainRow = {
      domain: name,
      project_id: project.id,
      branch,
      deployment_id: await latestOf(tx, project.id, branch),
      created_at: platform.clock.now(),
    }
    if (!(await insertDomain(tx, row))) throw taken(name)
    await audit(platform, tx, caller, { action: 'domain.attach', project, target: name, details: { branch } })
    await changed({ topic: 'domain', key: name })
    return { isNew: true, domain: await describeAttached(platform, tx, row) }
  })
}

export async function retargetDomain(
  platform: Platform,
  caller: Caller,
  project: ProjectScope,
  domain: string,
  branch: string | null,
) {
  checkBranch(branch)
  return await platform.store.transact(async (tx, changed) => {
    const row = await track(tx, changed, await holdDomain(platform, tx, project, domain), branch)
    await audit(platform, tx, caller, {
      action: 'domain.retarget',
      project,
      target: row.domain,
      details: { branch },
    })
    return await describeAttached(platform, tx, row)
  })
}

export async function detachDomain(
  platform: Platform,
  caller: Caller,
  project: ProjectScope,
  domain: string,
): Promise<void> {
  await platform.store.transact(async (tx, changed) => {
    const row = await holdDomain(platform, tx, project, domain)
    await deleteDomain(tx, project.id, row.domain)
    await audit(platform, tx, caller, { action: 'domain.detach', project, target: row.domain })
    await changed({ topic: 'domain', key: row.domain })
  })
}

export async function domainsOf(platform: Platform, projectId: string) {
  const rows = await listDomains(platform.store.db, projectId)
  const names = rows.map(row => row.domain)
  const ready = await readyAmong(platform.store.db, names)
  return rows.map(row => ({
    domain: row.domain,
    branch: row.branch,
    deployment_id: row.deployment_id,
    tls_ready: ready.has(row.domain),
    dns_target: platform.dnsTarget,
    created_at: isoTime(row.created_at),
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
  platform: Platform,
  db: Db,
  project: ProjectScope,
  input: string,
): Promise<DomainRow> {
  const row = await findDomain(db, domainName(input, platform))
  if (row?.project_id !== project.id)
    throw new Fault('not_found', `The domain '${input.slice(0, 100)}' is not attached to this project.`)
  return row
}

/** Stays the project's until the transaction ends. */
export async function holdDomain(
  platform: Platform,
  tx: Tx,
  project: ProjectScope,
  input: string,
): Promise<DomainRow> {
  await hold(tx, project)
  return await ownDomain(platform, tx, project, input)
}

async function hold(tx: Tx, project: ProjectScope): Promise<void> {
  if (!(await holdProject(tx, project.id))) throw new Fault('not_found', 'The project has just been deleted.')
}

/** Before the project itself, as everyone who takes both. */
async function lockOwner(tx: Tx, project: ProjectScope): Promise<void> {
  if (project.org_id) await lockOrg(tx, project.org_id)
  else await lockAccount(tx, project.account_id ?? '')
}

async function requireDomainRoom(platform: Platform, tx: Tx, project: ProjectScope): Promise<void> {
  const owner = project.org_id ? { orgId: project.org_id } : { accountId: project.account_id ?? '' }
  const ownerId = project.org_id ?? project.account_id ?? ''
  await requireRoom(platform, tx, ownerId, 'domains', await countDomains(tx, owner))
}

function checkBranch(branch: string | null | undefined): void {
  if (branch === productionBranch)
    throw new Fault(
      'invalid_branch',
      `'${branch}' is the production branch. Leave the branch out to show production.`,
    )
  if (branch != null) requireBranchName(branch)
}

async function describeAttached(platform: Platform, tx: Tx, row: DomainRow): Promise<Attached['domain']> {
  return {
    domain: row.domain,
    branch: row.branch,
    build_id: null,
    tls_ready: (await readyAmong(tx, [row.domain])).has(row.domain),
    dns_target: platform.dnsTarget,
  }
}

const taken = (name: string): Fault =>
  new Fault('domain_taken', `The domain '${name}' is attached to another project. Detach it there first.`)
