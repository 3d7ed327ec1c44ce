// Installations at the git host: which repositories an account, or an org it shares with, can use.
import type { Installation } from '@svc/contract'
import { Fault } from '../../../lib/fault.ts'
import { installationsAmong } from '../../../store/builds/github/installations.ts'
import {
  deleteShared,
  findShared,
  insertShared,
  sharedWithMember,
  sharedWithOrg,
} from '../../../store/builds/github/shared-installations.ts'
import { audit } from '../../base/audit.ts'
import type { Caller } from '../../base/caller.ts'
import type { Platform, Rows, Vault } from '../../base/platform.ts'
import { lockExistingOrg } from '../../orgs/orgs.ts'
import { type OrgScope, requireRole } from '../../orgs/rights.ts'
import { ownInstallations } from './installations.ts'

type SharedRow = Awaited<ReturnType<typeof sharedWithOrg>>[number]

/** One's own, and those that one's orgs may use. */
export async function usableInstallations(
  platform: Rows & Vault & Pick<Platform, 'forge' | 'github'>,
  caller: Caller,
): Promise<Installation[]> {
  const shared = await sharedWithMember(platform.store.db, caller.account.id)
  const own = await installationsOf(platform, caller)
  const mine = await Promise.all(
    own.map(async ({ id, account }) => {
      const row = await findShared(platform.store.db, id)
      return { id, account, mine: true, org: row?.org_name ?? null, shared_by: row?.sharer_login ?? null }
    }),
  )
  const ids = new Set(own.map(({ id }) => id))
  const theirs = shared.filter(row => !ids.has(row.installation_id))
  return [...mine, ...(await describeAll(platform, caller, theirs))]
}

export async function orgInstallations(
  platform: Pick<Platform, 'github' | 'store'>,
  caller: Caller,
  org: OrgScope,
): Promise<Installation[]> {
  return await describeAll(platform, caller, await sharedWithOrg(platform.store.db, org.id))
}

export async function shareInstallation(
  platform: Rows & Vault & Pick<Platform, 'forge' | 'github'>,
  caller: Caller,
  org: OrgScope,
  id: number,
): Promise<Installation> {
  const own = await installationsOf(platform, caller)
  if (!own.some(installation => installation.id === id))
    throw new Fault('not_found', `You have no installation ${id} at the git host.`)
  const row = {
    installation_id: id,
    org_id: org.id,
    shared_by: caller.account.id,
    created_at: platform.clock.now(),
  }
  const shared = await platform.store.transact(async tx => {
    await lockExistingOrg(tx, org)
    if (await insertShared(tx, row))
      await audit(platform, tx, caller, { action: 'installation.share', orgId: org.id, target: String(id) })
    return await findShared(tx, id)
  })
  if (shared?.org_id !== org.id)
    throw new Fault(
      'shared_elsewhere',
      'This installation is shared with another org. Unshare it there first.',
    )
  const [described] = await describeAll(platform, caller, [shared])
  return described!
}

/** For the person who shared it, or an admin. */
export async function unshareInstallation(
  platform: Rows,
  caller: Caller,
  org: OrgScope,
  id: number,
): Promise<void> {
  await platform.store.transact(async tx => {
    const shared = await findShared(tx, id)
    if (shared?.org_id !== org.id) throw new Fault('not_found', `The org uses no installation ${id}.`)
    if (shared.shared_by !== caller.account.id) requireRole(org.role, 'admin', org.name)
    await deleteShared(tx, id)
    await audit(platform, tx, caller, { action: 'installation.unshare', orgId: org.id, target: String(id) })
  })
}

const installationsOf = async (
  platform: Rows & Vault & Pick<Platform, 'forge' | 'github'>,
  { account }: Caller,
) =>
  platform.github
    ? await ownInstallations(platform, account.id)
    : await platform.forge.installationsOf(account)

async function describeAll(
  platform: Pick<Platform, 'github' | 'store'>,
  caller: Caller,
  rows: readonly SharedRow[],
): Promise<Installation[]> {
  const ids = rows.map(row => row.installation_id)
  const known = platform.github ? await installationsAmong(platform.store.db, ids) : undefined
  return rows.map(row => ({
    id: row.installation_id,
    account: known?.get(row.installation_id)?.account ?? row.sharer_login,
    mine: row.shared_by === caller.account.id,
    org: row.org_name,
    shared_by: row.sharer_login,
  }))
}
