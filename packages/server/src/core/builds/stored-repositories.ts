// The repositories of the built-in forge as their owners see them: how large they are, who builds from them, and their end.
import type { StoredRepository } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import {
  connectedProjects,
  deleteRepository,
  findRepository,
  listRepositories,
  lockRepository,
  type RepositoryOfOwner,
  setStoredBytes,
} from '../../store/builds/repositories.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { hasRole } from '../orgs/rights.ts'
import { cloneUrl, isRepositoryName, ownerFor } from './repositories.ts'

type Parts = Rows & Pick<Platform, 'repos' | 'repositoryBytes' | 'urls'>

/** Sizes that one call measures, of repositories without a push since svcd knows sizes. */
const measuredAtOnce = 20

/** The repositories of the caller and of their orgs, the largest first. */
export async function repositoriesOf(platform: Parts, caller: Caller): Promise<StoredRepository[]> {
  const { db } = platform.store
  const rows = await listRepositories(db, caller.account.id)
  let measured = 0
  for (const row of rows)
    if (row.stored_bytes === null && measured++ < measuredAtOnce)
      row.stored_bytes = await measure(platform, row.id)
  rows.sort((a, b) => (b.stored_bytes ?? 0) - (a.stored_bytes ?? 0) || (a.name < b.name ? -1 : 1))
  return rows.map(row => describe(platform, caller, row))
}

function describe(platform: Parts, caller: Caller, row: RepositoryOfOwner): StoredRepository {
  const repo = `${row.org_name ?? caller.account.login}/${row.name}`
  return {
    repo,
    clone_url: cloneUrl(platform, repo),
    size_bytes: row.stored_bytes,
    size_limit_bytes: platform.repositoryBytes,
    projects: row.projects,
    can_delete: row.role === null || hasRole(row.role, 'admin'),
    created_at: isoTime(row.created_at),
  }
}

/** Refused while a project builds from it. */
export async function deleteStoredRepository(
  platform: Rows & Pick<Platform, 'repos'>,
  caller: Caller,
  { owner: ownerName, name }: { owner: string; name: string },
): Promise<void> {
  const owner = isRepositoryName(name) ? await ownerFor(platform, caller, ownerName) : undefined
  const missing = new Fault('not_found', `There is no repository '${ownerName}/${name}' that you can use.`)
  if (!owner) throw missing
  if ('orgId' in owner && !hasRole(owner.role, 'admin'))
    throw new Fault('forbidden', 'Only owners and admins of the org can delete its repositories.')
  const id = await platform.store.transact(async tx => {
    const found = await findRepository(tx, owner, name)
    // A project may connect to it at this moment, which locks it, too.
    if (!found || !(await lockRepository(tx, found.id))) throw missing
    const projects = (await connectedProjects(tx, found.id)).map(row => row.project_name)
    if (projects.length > 0)
      throw new Fault(
        'repository_in_use',
        `${projects.join(', ')} ${projects.length === 1 ? 'builds' : 'build'} from it. Disconnect first: svc git disconnect --project ${projects[0]}`,
      )
    await deleteRepository(tx, found.id)
    const target = `${ownerName}/${name}`
    const whose = 'orgId' in owner ? { orgId: owner.orgId } : { accountId: owner.accountId }
    await audit(platform, tx, caller, { action: 'repo.delete', target, ...whose })
    return found.id
  })
  // If that fails, as during a push, the next sweeps remove it.
  await platform.repos.remove(id).catch(() => undefined)
}

/** After a push: packs what it left behind, makes room in a full repository, and notes the size. */
export async function settleRepository(
  platform: Rows & Pick<Platform, 'repos' | 'repositoryBytes'>,
  id: string,
): Promise<void> {
  const dropUnused = (await platform.repos.size(id)) > platform.repositoryBytes
  await platform.repos.tidy(id, { dropUnused })
  await measure(platform, id)
}

async function measure(platform: Pick<Platform, 'repos' | 'store'>, id: string): Promise<number> {
  const bytes = await platform.repos.size(id)
  await setStoredBytes(platform.store.db, id, bytes)
  return bytes
}
