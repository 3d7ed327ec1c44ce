// Repositories of the built-in forge: who owns them, who may use them, and how they are created.
import type { Role } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import {
  abandonedRepositories,
  countRepositories,
  deleteRepository,
  findRepository,
  insertRepository,
  repositoriesAmong,
} from '../../store/builds/repositories.ts'
import { findOrg, roleIn } from '../../store/orgs/orgs.ts'
import type { RepositoryRow } from '../../store/tables.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'

const repositoriesAtMost = limits.repositories

export interface RepositoryName {
  owner: string
  name: string
}

/** Reads `owner/name`. */
export function readRepositoryName(text: string): RepositoryName {
  const [owner = '', name = '', more] = text.split('/')
  if (more !== undefined || !isOwnerName(owner) || !isRepositoryName(name))
    throw new Fault('invalid_request', "repo: must be 'owner/name', such as 'ada/website'")
  return { owner, name }
}

const isOwnerName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(text)

/** The names that GitHub allows. No such name leads out of a directory. */
export const isRepositoryName = (text: string): boolean =>
  /^[A-Za-z0-9._-]{1,100}$/.test(text) && !/^\.{1,2}$|\.(git|lock)$/i.test(text)

/** Returns the repository, or creates it if it is missing and `create` is set. `undefined` if the caller may use none. */
export async function openRepository(
  platform: Rows & Pick<Platform, 'repos'>,
  caller: Caller,
  { owner: ownerName, name }: RepositoryName,
  { create }: { create: boolean },
): Promise<RepositoryRow | undefined> {
  const owner = await ownerFor(platform, caller, ownerName)
  if (!owner) return undefined
  const known = await findRepository(platform.store.db, owner, name)
  if (known || !create) return known
  if ((await countRepositories(platform.store.db, owner)) >= repositoriesAtMost)
    throw new Fault('quota_exceeded', `An owner may have at most ${repositoriesAtMost} repositories.`)
  const row: RepositoryRow = {
    id: newId('rep'),
    account_id: 'accountId' in owner ? owner.accountId : null,
    org_id: 'orgId' in owner ? owner.orgId : null,
    github_id: null,
    name,
    created_at: platform.clock.now(),
    is_behind: 0,
    pushed_by: null,
    stored_bytes: null,
    host: null,
  }
  // The directory is created first, so that a record always has its repository.
  await platform.repos.create(row.id)
  await insertRepository(platform.store.db, row)
  const made = await findRepository(platform.store.db, owner, name)
  // If two first pushes come at the same time, the first record stays.
  if (made?.id !== row.id) await platform.repos.remove(row.id)
  return made
}

/** The caller's own login, or an org that they belong to. */
export async function ownerFor(
  platform: Pick<Platform, 'store'>,
  caller: Caller,
  name: string,
): Promise<{ accountId: string } | { orgId: string; role: Role } | undefined> {
  if (caller.org) return undefined
  if (name === caller.account.login) return { accountId: caller.account.id }
  const org = await findOrg(platform.store.db, name)
  const role = org && (await roleIn(platform.store.db, org.id, caller.account.id))
  return org && role ? { orgId: org.id, role } : undefined
}

export const cloneUrl = (platform: Pick<Platform, 'urls'>, repo: string): string =>
  `${platform.urls.api}/git/${repo}.git`

/** Repositories that one sweep deletes. */
const abandonedAtOnce = 1_000

/** Directories without a record, as the last sweep found them. */
const orphansFound = new WeakMap<object, ReadonlySet<string>>()

/**
 * Removes the records and the directories of repositories whose owner was deleted. A new repository has its directory before its record,
 * so a directory is removed only when two sweeps in a row found it without one.
 */
export async function removeOrphanedRepositories(platform: Pick<Platform, 'repos' | 'store'>): Promise<void> {
  const { store } = platform
  for (const id of await abandonedRepositories(store.db, abandonedAtOnce))
    await store.transact(tx => deleteRepository(tx, id))
  const ids = await platform.repos.list()
  const known = await repositoriesAmong(store.db, ids)
  const orphans = ids.filter(id => !known.has(id))
  const foundBefore = orphansFound.get(platform)
  for (const id of orphans) if (foundBefore?.has(id)) await platform.repos.remove(id)
  orphansFound.set(platform, new Set(orphans))
}
