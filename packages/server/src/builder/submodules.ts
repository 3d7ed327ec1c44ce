// Fetches the submodules of a checked-out commit, each from a public repository. What cannot be fetched leaves an empty folder and a
// note in the log: many repositories have submodules that their build does not need.
import { lstat, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { minuteMs } from '@svc/contract/durations'
import type { CheckedOut } from '../core/builds/source.ts'
import { Fault } from '../lib/fault.ts'
import type { Submodule } from '../lib/git/submodules.ts'
import { GitHostError } from '../ports/git-hosts/port.ts'
import { type Job, timed } from './job.ts'

/** Of one build, also those of submodules. */
const submodulesAtMost = 20
/** Submodules in submodules. */
const deepest = 3
const withinMs = 10 * minuteMs

/** A submodule with what its folder and its URL are relative to. */
interface Waiting {
  submodule: Submodule
  folder: string
  base: string | undefined
  depth: number
}

/** Why a submodule cannot be fetched, for the log. */
class NotFetched extends Error {}

export async function fetchSubmodules(job: Job, { submodules, url }: CheckedOut): Promise<void> {
  const given = AbortSignal.timeout(withinMs)
  const waiting = childrenOf(submodules, { folder: '', base: url, depth: 1 })
  for (let fetched = 0; waiting.length > 0; fetched++) {
    const next = waiting.shift()!
    const folder = path.posix.join(next.folder, next.submodule.path)
    try {
      if (fetched >= submodulesAtMost) throw new NotFetched(`a build fetches ${submodulesAtMost} at most`)
      if (next.depth > deepest) throw new NotFetched(`it is more than ${deepest} levels deep`)
      const from = urlOf(next.submodule.url, next.base, job.parts.platform.allowPrivateTargets)
      const found = await fetchOne(job, { folder, from, sha: next.submodule.sha }, given)
      waiting.push(...childrenOf(found, { folder, base: from, depth: next.depth + 1 }))
    } catch (error) {
      job.signal.throwIfAborted()
      job.log.line(
        `Note: the submodule ${folder} is not fetched, its folder is empty: ${reasonOf(error, given)}.`,
      )
    }
  }
}

const childrenOf = (submodules: readonly Submodule[], of: Omit<Waiting, 'submodule'>): Waiting[] =>
  submodules.map(submodule => ({ submodule, ...of }))

async function fetchOne(
  { dir, log, signal, parts }: Job,
  { folder, from, sha }: { folder: string; from: string; sha: string },
  given: AbortSignal,
): Promise<Submodule[]> {
  const { host, pathname } = new URL(from)
  const target = path.join(dir, folder)
  const either = AbortSignal.any([signal, given])
  return await timed(log, `Fetching the submodule ${folder} from ${host}${pathname}`, async () => {
    await requireFolders(dir, folder)
    await mkdir(target, { recursive: true })
    return await parts.platform.gitHosts.checkOutPublic({ url: from, sha }, target, `${dir}.git`, either)
  })
}

/** A crafted tree can name a symbolic link and a folder of the same path. Behind the link may be any folder of this machine. */
async function requireFolders(dir: string, folder: string): Promise<void> {
  let at = dir
  for (const part of folder.split('/')) {
    at = path.join(at, part)
    const found = await lstat(at).catch(() => undefined)
    if (!found) return
    if (!found.isDirectory()) throw new NotFetched('a file has the name of its folder')
  }
}

/** `git@host:path` names what the host also gives by https, if it is public. */
const shortSsh = /^(?:ssh:\/\/)?git@([a-z0-9.-]+)[:/](?!\d+\/)([\w./~+-]+)$/i

function urlOf(given: string, base: string | undefined, allowHttp: boolean): string {
  const [, host, repository] = shortSsh.exec(given) ?? []
  const url = host ? `https://${host}/${repository}` : given
  if (/^\.\.?\//.test(url)) {
    if (base === undefined)
      throw new NotFetched('its URL is relative, and only those at other hosts are fetched')
    return new URL(url, `${base}/`).href
  }
  if (!URL.canParse(url)) throw new NotFetched('its URL cannot be read')
  const { protocol, username, password } = new URL(url)
  if (protocol !== 'https:' && !(allowHttp && protocol === 'http:'))
    throw new NotFetched('only https URLs of public repositories are fetched')
  if (username !== '' || password !== '') throw new NotFetched('its URL has a name or a password in it')
  return url
}

function reasonOf(error: unknown, given: AbortSignal): string {
  if (given.aborted) return 'submodules took too long'
  if (error instanceof GitHostError && error.message.includes('could not read Username'))
    return 'there is no such repository, or it is not public'
  if (error instanceof NotFetched || error instanceof GitHostError || error instanceof Fault)
    return error.message.replace(/\.$/, '')
  return 'an unexpected problem of the platform'
}
