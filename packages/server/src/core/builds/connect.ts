// Connects a project to the repository that it builds from.

import type { Forge, Repo } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { cancelBuilds } from '../../store/builds/builds.ts'
import {
  deleteProjectRepo,
  findProjectRepo,
  lockRepository,
  saveBranches,
  saveProjectRepo,
} from '../../store/builds/repositories.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { BuildRow, ProjectRepoRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import { requireBranchName } from '../base/branch-names.ts'
import type { Caller } from '../base/caller.ts'
import type { BuildParts, Platform, Rows, Vault } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import { isoTime } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import type { ChosenRepository } from './chosen-repository.ts'
import type { HostParts } from './git-hosts/connect.ts'
import { whyNoMinutes } from './minutes.ts'
import { queueBuild, requireRepo } from './queue.ts'
import { cloneUrl } from './repositories.ts'
import { chooseRepository } from './repository-choice.ts'
import { isRemote, newestCommit } from './source.ts'

interface RepoInput {
  repo: string
  /** `undefined`: GitHub where the repository can be used there, else the built-in forge. */
  forge?: Forge | undefined
  /** For a repository at another git host, which `repo` names by its URL. */
  access_token?: string | undefined
  branch?: string | undefined
  build_cmd?: string | null | undefined
  install_cmd?: string | null | undefined
  output_dir?: string | null | undefined
  root_dir?: string | null | undefined
  previews?: boolean | undefined
}

/** Replaces an earlier connection. Queues the first build if the production branch has a commit. */
export async function connectRepo(
  platform: BuildParts & HostParts & Pick<Platform, 'hasBuiltinForge'>,
  caller: Caller,
  project: ProjectScope,
  input: RepoInput,
): Promise<Repo> {
  if (input.branch !== undefined) requireBranchName(input.branch)
  const chosen = await chooseRepository(platform, caller, project, input)
  const branch = input.branch ?? chosen.defaultBranch
  const row: ProjectRepoRow = {
    project_id: project.id,
    repo: chosen.name,
    repository_id: chosen.repositoryId,
    installation_id: chosen.installationId,
    host: chosen.host ?? null,
    branch,
    build_cmd: commandOrNull(input.build_cmd),
    install_cmd: commandOrNull(input.install_cmd),
    output_dir: outputOrNull(input.output_dir),
    root_dir: folderOrNull('root_dir', input.root_dir),
    previews: input.previews === false ? 0 : 1,
    connected_by: caller.account.id,
    connected_at: platform.clock.now(),
  }
  const build = await saved(platform, caller, project, { chosen, row }).catch(async error => {
    // Not connected after all. If the host does not answer, its deliveries are refused.
    await chosen.discard?.().catch(() => undefined)
    throw error
  })
  return { ...describeRepo(platform, row), build_id: build?.id ?? null }
}

async function saved(
  platform: BuildParts & Vault,
  caller: Caller,
  project: ProjectScope,
  { chosen, row }: { chosen: ChosenRepository; row: ProjectRepoRow },
): Promise<BuildRow | undefined> {
  const { branch } = row
  const commit = await (chosen.head?.(branch) ?? newestCommit(platform, row, branch))
  return await platform.store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    await chosen.save?.(tx)
    if (!(await lockRepository(tx, chosen.repositoryId)))
      throw new Fault('not_found', 'The repository has just been deleted.')
    await saveProjectRepo(tx, row)
    // The host may report the push of this commit later. It is then not built again.
    if (commit && isRemote(row))
      await saveBranches(tx, [{ repository_id: chosen.repositoryId, branch, commit_sha: commit.sha }])
    await audit(platform, tx, caller, { action: 'repo.connect', project, target: row.repo })
    await siteChanged(tx, changed, project)
    const requestedBy = caller.account.id
    if (!commit || (await whyNoMinutes(platform, tx, project.id))) return undefined
    return await queueBuild(platform, tx, changed, { repo: row, branch, commit, requestedBy })
  })
}

/** Cancels the builds of the project. Its deployments stay. */
export async function disconnectRepo(platform: Rows, caller: Caller, project: ProjectScope): Promise<void> {
  const repo = await requireRepo(platform.store.db, project)
  const now = platform.clock.now()
  await platform.store.transact(async (tx, changed) => {
    await deleteProjectRepo(tx, project.id)
    const words = { now, error: 'The repository was disconnected.' }
    for (const id of await cancelBuilds(tx, { projectId: project.id }, words))
      await changed({ topic: 'build', key: id })
    await audit(platform, tx, caller, { action: 'repo.disconnect', project, target: repo.repo })
    await siteChanged(tx, changed, project)
  })
}

export const connectedRepo = async (
  platform: Pick<Platform, 'store' | 'urls'>,
  project: ProjectScope,
): Promise<Repo> => describeRepo(platform, await requireRepo(platform.store.db, project))

export async function repoOrNull(
  platform: Pick<Platform, 'store' | 'urls'>,
  projectId: string,
): Promise<Repo | null> {
  const row = await findProjectRepo(platform.store.db, projectId)
  return row ? describeRepo(platform, row) : null
}

const describeRepo = (platform: Pick<Platform, 'urls'>, row: ProjectRepoRow): Repo => ({
  repo: row.repo,
  branch: row.branch,
  build_cmd: row.build_cmd,
  install_cmd: row.install_cmd,
  output_dir: row.output_dir,
  root_dir: row.root_dir,
  previews: row.previews === 1,
  installation_id: row.installation_id,
  connected_at: isoTime(row.connected_at),
  forge: row.host ?? (row.installation_id === null ? 'builtin' : 'github'),
  ...(!isRemote(row) && { clone_url: cloneUrl(platform, row.repo) }),
})

const commandOrNull = (command: string | null | undefined): string | null => {
  if (command?.includes('\0')) throw new Fault('invalid_request', 'A command cannot hold a NUL character.')
  return command?.trim() || null
}

/** `.` is the whole folder that is built, and null the folder that the build is known to make. */
const outputOrNull = (folder: string | null | undefined): string | null =>
  folderOrNull('output_dir', folder) ?? (folder?.startsWith('.') ? '.' : null)

/** A folder of the repository without slashes at both ends. Null for the root. */
function folderOrNull(field: string, folder: string | null | undefined): string | null {
  const parts = (folder ?? '').split('/').filter(part => part !== '' && part !== '.')
  if (folder?.startsWith('/') || parts.includes('..') || /[\0\\]/.test(folder ?? ''))
    throw new Fault('invalid_request', `${field}: must be a folder inside the repository, such as apps/web`)
  return parts.join('/') || null
}
