// Handles a push: compares the branches of the repository with the known ones, and builds those that changed.

import { rateLimits } from '@svc/contract'
import type { GitCommit } from '../../ports/git-repos/port.ts'
import { latestBuild } from '../../store/builds/builds.ts'
import {
  advanceBranch,
  branchesOf,
  type ConnectedProject,
  connectedProjects,
  deleteBranches,
  findRepositoryById,
  markCaughtUp,
  repositoriesBehind,
  saveBranches,
} from '../../store/builds/repositories.ts'
import { findProductionLock } from '../../store/deployments/production-locks.ts'
import { findLatestBranchDeployment } from '../../store/deployments/stored.ts'
import { domainsTracking } from '../../store/domains/domains.ts'
import type { BuildRow, RepositoryRow } from '../../store/tables.ts'
import { isBranchName } from '../base/branch-names.ts'
import type { BuildParts } from '../base/platform.ts'
import { spend } from '../base/rate-limit.ts'
import { suspensionOf } from '../base/suspension.ts'
import { removeBranch } from './branches.ts'
import { mayBuildFrom, mustReconnect } from './connection.ts'
import { whyNoMinutes } from './minutes.ts'
import { queueBuild } from './queue.ts'
import { folderDiffers } from './source.ts'

export interface Pushed {
  builds: { build: BuildRow; project: string }[]
  /** Messages for the person who pushed: what was not built, and why. */
  notes: string[]
}

interface Move {
  branch: string
  /** `undefined` for a new branch. */
  from: string | undefined
  commit: GitCommit
  /** From a pull request of a fork. */
  fromFork?: boolean
}

/** A project that does not build a commit. */
export interface NotBuilt {
  project: string
  why: Reason
}

interface Reason {
  text: string
  /** A standing choice of the project, one for this commit, or something that its owners must set right. */
  kind: 'setting' | 'skipped' | 'problem'
}

/** Limits the builds of one push, so that pushing many branches does not fill the queue. */
const branchesPerPush = 20

/** Rows of branches that one transaction changes. */
const rowsAtOnce = 200

/** Comparisons run one at a time for each repository, so that an older one never overwrites a newer one. */
const underWay = new Map<string, Promise<unknown>>()

/** Idempotent: can be called at any time. */
export async function catchUp(platform: BuildParts, repositoryId: string): Promise<Pushed> {
  const before = underWay.get(repositoryId)
  const turn = (async () => {
    await before?.catch(() => undefined) // The caller of the earlier comparison handles its error.
    return await compareBranches(platform, repositoryId)
  })()
  underWay.set(repositoryId, turn)
  try {
    return await turn
  } finally {
    if (underWay.get(repositoryId) === turn) underWay.delete(repositoryId)
  }
}

/** Called at start, to handle pushes that a stop of svcd interrupted. */
export async function catchUpAll(platform: BuildParts): Promise<void> {
  const failures: unknown[] = []
  for (const { id } of await repositoriesBehind(platform.store.db))
    await catchUp(platform, id).catch(error => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** Repositories behind their pushes, as the last sweep found them. */
const behindFound = new WeakMap<object, ReadonlySet<string>>()

/** Handles pushes to a node that ended. A push that is under way is left to its node: two sweeps in a row must find it. */
export async function catchUpInterrupted(platform: BuildParts): Promise<void> {
  const behind = (await repositoriesBehind(platform.store.db)).map(({ id }) => id)
  const foundBefore = behindFound.get(platform)
  behindFound.set(platform, new Set(behind))
  for (const id of behind) if (foundBefore?.has(id)) await catchUp(platform, id)
}

async function compareBranches(platform: BuildParts, repositoryId: string): Promise<Pushed> {
  const { store, repos } = platform
  const repository = await findRepositoryById(store.db, repositoryId)
  if (!repository) return { builds: [], notes: [] }
  const heads = await repos.heads(repositoryId)
  const known = new Map((await branchesOf(store.db, repositoryId)).map(row => [row.branch, row.commit_sha]))
  const projects = await connectedProjects(store.db, repositoryId)
  const pushed: Pushed = { builds: [], notes: [] }
  const moved = [...heads].filter(([branch, sha]) => known.get(branch) !== sha)
  // The list of branches decides what a clone checks out, so it counts only when it has changed.
  if ([...heads.keys(), ...known.keys()].some(branch => !heads.has(branch) || !known.has(branch)))
    await chooseHead(platform, repositoryId, projects, heads)
  const isProduction = (branch: string) => projects.some(project => project.branch === branch)
  moved.sort(([a], [b]) => Number(isProduction(b)) - Number(isProduction(a)))
  const left = moved.splice(branchesPerPush)
  // Small transactions: on SQLite, everybody else who writes waits for one to end.
  for (const some of chunksOf(left, rowsAtOnce)) {
    const rows = some.map(([branch, sha]) => ({ repository_id: repositoryId, branch, commit_sha: sha }))
    await store.transact(tx => saveBranches(tx, rows))
  }
  if (left.length > 0 && projects.length > 0)
    pushed.notes.push(
      `${left.length} more branches are not built: a push builds ${branchesPerPush} at most. Build one: svc git build --branch <branch>`,
    )
  if (moved.length > 0) pushed.notes.push(...projects.flatMap(project => withoutProduction(project, heads)))
  for (const [branch, sha] of moved) {
    const from = known.get(branch)
    const commit = await repos.commit(repositoryId, sha)
    if (!commit) continue
    const { builds, notBuilt } = await moveBranch(platform, repository, projects, { branch, from, commit })
    pushed.builds.push(...builds)
    for (const { build, project } of builds)
      if (build.is_production === 1 && (await findProductionLock(store.db, build.project_id)))
        pushed.notes.push(
          `${project}: production is locked since a rollback. This push is built, but does not go live. Unlock production: svc git unlock --project ${project}`,
        )
    for (const { project, why } of notBuilt) pushed.notes.push(`${project}: not built, ${why.text}.`)
  }
  for (const gone of chunksOf(
    [...known.keys()].filter(branch => !heads.has(branch)),
    rowsAtOnce,
  )) {
    for (const project of projects) for (const branch of gone) await removeBranch(platform, project, branch)
    await store.transact(tx => deleteBranches(tx, repositoryId, gone))
  }
  await store.transact(tx => markCaughtUp(tx, repositoryId))
  if (projects.length === 0 && heads.size > 0)
    pushed.notes.push('No project builds from this repository yet. Connect one: svc git connect <owner/repo>')
  return pushed
}

function* chunksOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

/** Says why nothing goes live if the production branch was never pushed, such as after a push of `master` for `main`. */
function withoutProduction(
  { project_name, repo, branch }: ConnectedProject,
  heads: ReadonlyMap<string, string>,
): string[] {
  if (heads.has(branch)) return []
  const other = [...heads.keys()].find(isBranchName) ?? '<commit>'
  return [
    `${project_name}: nothing goes live, because the production branch '${branch}' does not exist. Push to it (git push <remote> ${other}:${branch}), or choose another one: svc git connect ${repo} --branch <branch>`,
  ]
}

/** A clone checks out the production branch, or else the branch that it checked out before, or else one that exists. */
async function chooseHead(
  { repos }: Pick<BuildParts, 'repos'>,
  repositoryId: string,
  projects: readonly ConnectedProject[],
  heads: ReadonlyMap<string, string>,
): Promise<void> {
  const current = await repos.head(repositoryId)
  const wanted = [...projects.map(({ branch }) => branch), current, 'main', 'master', ...heads.keys()]
  const branch = wanted.find(name => heads.has(name))
  if (branch !== undefined && branch !== current) await repos.setHead(repositoryId, branch)
}

/** Records the new commit and queues its builds in one transaction. */
export async function moveBranch(
  platform: BuildParts,
  repository: Pick<RepositoryRow, 'id' | 'pushed_by'>,
  projects: ConnectedProject[],
  move: Move,
): Promise<Pick<Pushed, 'builds'> & { notBuilt: NotBuilt[] }> {
  const reasons = new Map<string, Reason | undefined>()
  for (const project of projects) {
    const why = await whyNot(platform, project, move)
    reasons.set(project.project_id, why ?? (move.fromFork ? await whyNoFork(platform, project) : undefined))
  }
  const { branch, from, commit, fromFork } = move
  const builds: Pushed['builds'] | undefined = await platform.store.transact(async (tx, changed) => {
    const row = { repository_id: repository.id, branch, commit_sha: commit.sha }
    // A concurrent comparison of the same branch has queued the builds already.
    if (!(await advanceBranch(tx, row, from))) return undefined
    const queued: Pushed['builds'] = []
    for (const repo of projects) {
      if (reasons.get(repo.project_id) !== undefined) continue
      const requestedBy = repository.pushed_by ?? repo.connected_by
      const build = { repo, branch, commit, fromFork, requestedBy }
      queued.push({ build: await queueBuild(platform, tx, changed, build), project: repo.project_name })
    }
    return queued
  })
  if (!builds) return { builds: [], notBuilt: [] }
  const notBuilt = projects.flatMap(({ project_id, project_name: project }) => {
    const why = reasons.get(project_id)
    return why ? [{ project, why }] : []
  })
  return { builds, notBuilt }
}

/** Why a push to this branch is not built for the project. `undefined` if it is. */
async function whyNot(
  platform: BuildParts,
  project: ConnectedProject,
  { branch, from, commit, fromFork = false }: Move,
): Promise<Reason | undefined> {
  const { db } = platform.store
  if (!fromFork && !isBranchName(branch))
    return {
      kind: 'problem',
      text: `the name '${branch}' looks like an option of git. Push to a branch whose name does not begin with '-'`,
    }
  if (!(await mayBuildFrom(platform, project))) return { kind: 'problem', text: mustReconnect(project.repo) }
  const suspension = await suspensionOf(db, project.project_id)
  if (suspension) return { kind: 'problem', text: `the operator suspended it: ${suspension.reason}` }
  const skip = /\[(skip ci|ci skip|skip svc)\]/i.exec(commit.message)
  if (skip) return { kind: 'skipped', text: `the commit message says ${skip[0]}` }
  const noMinutes = await whyNoMinutes(platform, db, project.project_id)
  if (noMinutes)
    return { kind: 'problem', text: `no build minutes are left. ${noMinutes.replace(/\.$/, '')}` }
  if (branch !== project.branch && project.previews === 0)
    if ((await domainsTracking(db, project.project_id, branch)).length === 0)
      return {
        kind: 'setting',
        text: `'${branch}' is not the production branch (${project.branch}) and previews are off`,
      }
  if (project.root_dir === null || from === undefined) return undefined
  if (await folderDiffers(platform, project, { from, to: commit.sha, folder: project.root_dir }))
    return undefined
  // The fix of a failed build may be outside of the folder.
  const last = await latestBuild(db, project.project_id, branch)
  const hasFailed = last?.status === 'failed' || last?.status === 'cancelled'
  const isShown =
    branch === project.branch || (await findLatestBranchDeployment(db, project.project_id, branch))
  return isShown && !hasFailed
    ? { kind: 'skipped', text: `nothing changed in ${project.root_dir}` }
    : undefined
}

/** Everybody can open pull requests of forks, so a project builds only so many of them in a day. */
async function whyNoFork(
  platform: BuildParts,
  { project_id }: ConnectedProject,
): Promise<Reason | undefined> {
  const rule = rateLimits.forkBuilds
  const { retryAfter } = await spend(platform, `builds of forks of ${project_id}`, rule)
  if (retryAfter === undefined) return undefined
  return {
    kind: 'problem',
    text: `${rule.limit} commits of forks were built today. Push it to a branch of this repository, or again tomorrow`,
  }
}
