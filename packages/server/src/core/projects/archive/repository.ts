// The git repository of a project in its archive: its refs, all their objects as one pack, and how the project builds from it.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { buffer, text } from 'node:stream/consumers'
import { minuteMs } from '@svc/contract/durations'
import { limits } from '@svc/contract/limits'
import { Fault } from '../../../lib/fault.ts'
import { flush, linesOf, pktLine } from '../../../lib/git/pkt-lines.ts'
import { newId } from '../../../lib/ids.ts'
import type { GitRepos } from '../../../ports/git-repos/port.ts'
import type { Owner } from '../../../store/billing/plan-usage.ts'
import {
  countRepositories,
  findProjectRepo,
  findRepository,
  insertRepository,
  saveBranches,
  saveProjectRepo,
} from '../../../store/builds/repositories.ts'
import { findProject } from '../../../store/projects/projects.ts'
import type { Platform, Rows } from '../../base/platform.ts'
import { whyPushIsRefused } from '../../builds/push-rules.ts'
import type { ArchivedRepository } from './shape.ts'

const withinMs = 30 * minuteMs
const noCommit = '0'.repeat(40)
/** What the commands of a push take besides the pack. */
const commandBytes = 16 * 1024 * 1024

type Source = Pick<Platform, 'repos' | 'store'>

/** The repository at this platform that a project builds from. `undefined` for one at GitHub or at another git host. */
export async function describeRepository(
  { store, repos }: Source,
  projectId: string,
): Promise<{ id: string; described: ArchivedRepository } | undefined> {
  const row = await findProjectRepo(store.db, projectId)
  if (!row?.repository_id || row.installation_id !== null || row.host !== null) return undefined
  const { repository_id: id, branch, build_cmd, install_cmd, output_dir, root_dir, previews } = row
  const settings = { branch, build_cmd, install_cmd, output_dir, root_dir, previews: previews === 1 }
  const name = row.repo.slice(row.repo.indexOf('/') + 1)
  return { id, described: { name, head: await repos.head(id), refs: await refsOf(repos, id), ...settings } }
}

/** As a clone sees them. */
async function refsOf(repos: GitRepos, id: string): Promise<ArchivedRepository['refs']> {
  let answer = Buffer.alloc(0)
  await ask(repos, id, 'upload-pack', { body: undefined }, async output => {
    answer = await buffer(output)
  })
  return linesOf(answer).flatMap(line => {
    const [sha = '', ref = ''] = (line.split('\0')[0] ?? '').split(' ')
    return /^refs\/(heads|tags)\//.test(ref) && !ref.endsWith('^{}') ? [{ ref, sha }] : []
  })
}

/** Writes a pack with everything that the refs lead to. */
export async function writePack(
  repos: GitRepos,
  id: string,
  refs: ArchivedRepository['refs'],
  file: string,
): Promise<void> {
  const wants = [...new Set(refs.map(({ sha }) => sha))].map(sha => pktLine(`want ${sha}\n`))
  const body = await repos.keep(once(wants.join('') + flush + pktLine('done\n')), commandBytes)
  const target = await open(file, 'wx', 0o600)
  try {
    await ask(repos, id, 'upload-pack', { body }, async output => {
      // Git says first that it has no objects in common with the client.
      let before = pktLine('NAK\n').length
      for await (const chunk of output as AsyncIterable<Buffer>) {
        const rest = chunk.subarray(before)
        before -= chunk.length - rest.length
        for (let at = 0; at < rest.length; ) at += (await target.write(rest, at)).bytesWritten
      }
    })
  } finally {
    await body.remove()
    await target.close()
  }
}

type Target = Rows & Source & Pick<Platform, 'repositoryBytes' | 'hasBuiltinForge'>

/**
 * Makes the repository of an archive for the owner, and connects the project to it. Nothing is built. Returns why not, if the
 * platform or its limits do not allow it.
 */
export async function importRepository(
  platform: Target,
  { owner, ownerName, project: projectName }: { owner: Owner; ownerName: string; project: string },
  { refs, head, name, previews, ...settings }: ArchivedRepository,
  packFile: string | undefined,
): Promise<string | undefined> {
  const { store, repos, clock, hasBuiltinForge } = platform
  if (!hasBuiltinForge) return 'this platform hosts no repositories (SVCD_FORGE).'
  const by = owner.org_id === null ? { accountId: owner.account_id ?? '' } : { orgId: owner.org_id }
  const repo = `${ownerName}/${name}`
  if (await findRepository(store.db, by, name)) return `${repo} exists already.`
  if ((await countRepositories(store.db, by)) >= limits.repositories)
    return `${ownerName} has as many repositories as an owner may have.`
  const project = await findProject(store.db, projectName)
  if (!project) return 'the project was deleted.'
  const id = newId('rep')
  const now = clock.now()
  await repos.create(id)
  try {
    if (refs.length > 0) await push(platform, id, refs, packFile)
    await repos.setHead(id, head)
  } catch (error) {
    await repos.remove(id)
    if (error instanceof Fault) return error.message
    throw error
  }
  const nobody = { github_id: null, host: null, is_behind: 0, pushed_by: null, stored_bytes: null }
  const { account_id, org_id } = owner
  await insertRepository(store.db, { id, account_id, org_id, name, created_at: now, ...nobody })
  const heads = await repos.heads(id)
  await store.transact(async tx => {
    const known = [...heads].map(([branch, commit_sha]) => ({ repository_id: id, branch, commit_sha }))
    await saveBranches(tx, known)
    const connection = { project_id: project.id, repo, repository_id: id, installation_id: null, host: null }
    const times = { connected_by: null, connected_at: now }
    await saveProjectRepo(tx, { ...connection, ...settings, previews: previews ? 1 : 0, ...times })
  })
  return undefined
}

/** The way of every push, with its checks. */
async function push(
  platform: Target,
  id: string,
  refs: ArchivedRepository['refs'],
  packFile: string | undefined,
): Promise<void> {
  if (packFile === undefined) throw new Fault('invalid_archive', 'the archive has no objects of it.')
  const { repos, repositoryBytes } = platform
  const commands = refs.map(({ ref, sha }, i) =>
    pktLine(`${noCommit} ${sha} ${ref}${i === 0 ? '\0report-status' : ''}`),
  )
  async function* bytes(): AsyncGenerator<Buffer> {
    yield Buffer.from(commands.join('') + flush)
    yield* createReadStream(packFile!) as AsyncIterable<Buffer>
  }
  const body = await repos.keep(bytes(), repositoryBytes + commandBytes)
  let report = ''
  try {
    const judge = (incoming: Parameters<typeof whyPushIsRefused>[2]) =>
      whyPushIsRefused(platform, id, incoming)
    await ask(repos, id, 'receive-pack', { body, judge }, async output => {
      report = await text(output)
    })
  } finally {
    await body.remove()
  }
  const missing = refs.find(({ ref }) => !report.includes(`ok ${ref}\n`))
  if (missing) throw new Fault('invalid_archive', `${missing.ref} was not accepted: ${reasonIn(report)}`)
}

/** The words of git, without control characters. */
const reasonIn = (report: string): string =>
  report
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 300) || 'git could not read its objects.'

const ask = (
  repos: GitRepos,
  id: string,
  service: 'upload-pack' | 'receive-pack',
  request: Pick<Parameters<GitRepos['serve']>[2], 'body' | 'judge'>,
  deliver: Parameters<GitRepos['serve']>[3],
): Promise<boolean> => {
  const signal = AbortSignal.timeout(withinMs)
  return repos.serve(id, service, { account: 'archive', protocol: undefined, signal, ...request }, deliver)
}

async function* once(content: string): AsyncGenerator<Buffer> {
  yield Buffer.from(content)
}
