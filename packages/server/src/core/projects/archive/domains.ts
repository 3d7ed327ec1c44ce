// Attaches the custom domains of an archive. What was proved elsewhere counts for nothing here: each is a new domain, and one of
// another owner stays there.
import { Fault } from '../../../lib/fault.ts'
import { ownerId } from '../../../store/billing/plan-usage.ts'
import { findLatestBranchDeployment } from '../../../store/deployments/stored.ts'
import { insertDomain, setPrimary, setRedirect } from '../../../store/domains/domains.ts'
import { deleteRelease } from '../../../store/domains/releases.ts'
import type { Changed, Tx } from '../../../store/store.ts'
import type { ProjectRow } from '../../../store/tables.ts'
import type { Platform } from '../../base/platform.ts'
import { domainName } from '../../domains/names.ts'
import { formerOwner, verification } from '../../domains/proof.ts'
import type { ArchivedDomain } from './shape.ts'

export type DomainParts = Pick<Platform, 'clock' | 'dnsTarget' | 'domain' | 'domainProof'>

/** Returns the names that it did not attach. */
export async function attachArchived(
  platform: DomainParts,
  tx: Tx,
  changed: Changed,
  project: ProjectRow,
  domains: readonly ArchivedDomain[],
): Promise<string[]> {
  const served = new Map<string, ArchivedDomain>()
  const leftOut: string[] = []
  for (const each of domains) {
    const attached = await attach(platform, tx, project, each)
    if (!attached) leftOut.push(each.domain)
    else if (attached.verified_at !== null) served.set(attached.domain, each)
    if (attached) await changed({ topic: 'domain', key: attached.domain })
  }
  for (const [name, { redirect_to: to, primary }] of served) {
    if (to !== null && served.get(to)?.redirect_to === null) await setRedirect(tx, name, to)
    else if (primary) await setPrimary(tx, project.id, name)
  }
  return leftOut
}

async function attach(
  platform: DomainParts,
  tx: Tx,
  project: ProjectRow,
  { domain, branch }: ArchivedDomain,
): Promise<{ domain: string; verified_at: number | null } | undefined> {
  const name = nameOrNone(platform, domain)
  if (name === undefined) return undefined
  const release = await formerOwner(platform, tx, name)
  const isFormerOwner = release?.owner_id === ownerId(project)
  if (release && !isFormerOwner) return undefined
  const deployment_id =
    branch === null ? null : ((await findLatestBranchDeployment(tx, project.id, branch)) ?? null)
  const row = {
    ...{ domain: name, project_id: project.id, branch, deployment_id, created_at: platform.clock.now() },
    ...verification(platform, { txt: false, pointing: false }, isFormerOwner),
  }
  if (!(await insertDomain(tx, row))) return undefined
  await deleteRelease(tx, name)
  return row
}

/** `undefined` for the names of this platform, and for what is no domain. */
function nameOrNone(platform: DomainParts, domain: string): string | undefined {
  try {
    return domainName(domain, platform)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
