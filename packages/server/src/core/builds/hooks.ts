// Deploy hooks: secret URLs that build a branch, for a CMS or another service that cannot push.
import { type CreatedDeployHook, type DeployHook, type HookedBuild, limits } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { newId, newSecret, sha256 } from '../../lib/ids.ts'
import { latestBuild } from '../../store/builds/builds.ts'
import {
  type DeployHookOfProject,
  type DeployHookWithLogin,
  deleteDeployHook,
  findDeployHook,
  insertDeployHook,
  listDeployHooks,
  markDeployHookUsed,
} from '../../store/builds/hooks.ts'
import { findProjectRepo } from '../../store/builds/repositories.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { BuildRow, DeployHookRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import { requireBranchName } from '../base/branch-names.ts'
import type { Caller } from '../base/caller.ts'
import type { BuildParts, GitHubParts, Platform, Repositories, Rows } from '../base/platform.ts'
import { requireNotSuspended } from '../base/suspension.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { requireConnection } from './connection.ts'
import { requireBuildMinutes } from './minutes.ts'
import { type NewBuild, queueBuild, requireRepo } from './queue.ts'
import { newestCommit } from './source.ts'

export async function deployHooksOf(
  platform: Pick<Platform, 'store'>,
  project: ProjectScope,
): Promise<DeployHook[]> {
  return (await listDeployHooks(platform.store.db, project.id)).map(describe)
}

/** Only this answer contains the URL, because the database stores a hash of its secret. */
export async function createDeployHook(
  platform: Rows & Pick<Platform, 'urls'>,
  caller: Caller,
  project: ProjectScope,
  input: { name: string; branch?: string | undefined },
): Promise<CreatedDeployHook> {
  const repo = await requireRepo(platform.store.db, project)
  const branch = input.branch ?? repo.branch
  requireBranchName(branch)
  const secret = newSecret()
  const row: DeployHookRow = {
    id: newId('hook'),
    project_id: project.id,
    name: input.name,
    branch,
    secret_hash: sha256(secret),
    created_by: caller.account.id,
    created_at: platform.clock.now(),
    last_used_at: null,
  }
  await platform.store.transact(async tx => {
    // The project's row is locked, so that two concurrent calls cannot exceed the limit.
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    if ((await listDeployHooks(tx, project.id)).length >= limits.deployHooks)
      throw new Fault(
        'invalid_request',
        `A project may have at most ${limits.deployHooks} deploy hooks. Revoke one first: svc git hooks rm <id>`,
      )
    await insertDeployHook(tx, row)
    const details = { name: row.name, branch }
    await audit(platform, tx, caller, { action: 'hook.create', project, target: row.id, details })
  })
  const hook = describe({ ...row, created_by_login: caller.account.login })
  return { ...hook, url: `${platform.urls.api}/hooks/deploy/${secret}` }
}

export async function revokeDeployHook(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  id: string,
): Promise<void> {
  await platform.store.transact(async tx => {
    const name = await deleteDeployHook(tx, project.id, id)
    if (name === undefined)
      throw new Fault('not_found', `There is no deploy hook '${id.slice(0, 60)}' in this project.`)
    await audit(platform, tx, caller, { action: 'hook.revoke', project, target: id, details: { name } })
  })
}

/** Queues a build of the newest commit. If one is queued already, returns that one, so that many calls cause one build. */
export async function callDeployHook(platform: BuildParts, secret: string, ip: string): Promise<HookedBuild> {
  const hook = await findDeployHook(platform.store.db, sha256(secret))
  if (!hook) throw noSuchHook()
  await requireNotSuspended(platform.store.db, hook.project_id)
  const source = await sourceOf(platform, hook)
  return await platform.store.transact(async (tx, changed) => {
    // Concurrent calls run one after the other here, so the second finds the build of the first.
    if (!(await lockProject(tx, hook.project_id))) throw noSuchHook()
    if (!(await markDeployHookUsed(tx, hook.id, platform.clock.now()))) throw noSuchHook()
    const last = await latestBuild(tx, hook.project_id, hook.branch)
    if (last?.status === 'queued' && last.commit_sha === source.commit.sha)
      return answerOf(last, { queued: false })
    await requireBuildMinutes(platform, tx, hook.project_id)
    const project = { id: hook.project_id, org_id: hook.org_id }
    const details = { hook: hook.id, name: hook.name }
    await audit(platform, tx, { ip }, { action: 'build.queue', project, target: hook.branch, details })
    return answerOf(await queueBuild(platform, tx, changed, source), { queued: true })
  })
}

async function sourceOf(platform: Repositories & GitHubParts, hook: DeployHookOfProject): Promise<NewBuild> {
  const { branch } = hook
  const repo = await findProjectRepo(platform.store.db, hook.project_id)
  if (!repo)
    throw new Fault(
      'not_buildable',
      `The project '${hook.project_name}' has no repository any more. Connect one: svc git connect <owner/repo>`,
    )
  await requireConnection(platform, repo)
  const commit = await newestCommit(platform, repo, branch)
  if (!commit)
    throw new Fault(
      'not_buildable',
      `${repo.repo} has no branch '${branch}'. Push to it, or revoke this deploy hook: svc git hooks rm ${hook.id}`,
    )
  return { repo, branch, commit, requestedBy: hook.created_by ?? repo.connected_by }
}

const answerOf = (build: BuildRow, { queued }: { queued: boolean }): HookedBuild => ({
  build_id: build.id,
  status: build.status,
  branch: build.branch,
  commit_sha: build.commit_sha,
  queued,
})

const noSuchHook = (): Fault =>
  new Fault('not_found', "There is no such deploy hook. 'svc git hooks' lists those of a project.")

const describe = (row: DeployHookWithLogin): DeployHook => ({
  id: row.id,
  name: row.name,
  branch: row.branch,
  created_at: isoTime(row.created_at),
  created_by: row.created_by_login,
  last_used_at: isoTimeOrNull(row.last_used_at),
})
