// Uploads a directory: list, check, pack, upload.
import { execFile } from 'node:child_process'
import type { Answer, EndpointKey, EndpointTable } from '@svc/contract'
import { answerFrom, networkError, type Sparse, target } from '@svc/contract/client'
import { linksPath, totalBytes } from '@svc/contract/site'
import { requireToken } from '../credentials.ts'
import { environment } from '../environment.ts'
import { isBrokenOff, networkReason } from '../network.ts'
import { clean, count, duration, size } from '../output.ts'
import { apiUrl } from '../platform-url.ts'
import { progressBar, waitingLine } from '../progress.ts'
import { userAgent } from '../session.ts'
import { version } from '../version.ts'
import { checkSite, type Intent } from './check.ts'
import type { Archive } from './gzip.ts'
import { withIgnoreRules } from './ignore.ts'
import { packLinks } from './links.ts'
import { listSite, type Site, withPackages } from './list.ts'
import { pack } from './pack.ts'
import { singlePageOf } from './single-page.ts'
import { BrokenUpload, type SiteUpload, sendOnlyMissing } from './unchanged.ts'
import { upload } from './upload.ts'

/** The endpoints that take an archive. */
type UploadKey = Extract<EndpointKey, 'POST /projects/:name/deployments' | 'POST /shares'>

interface Destination<K extends UploadKey> {
  endpoint: K
  params?: Record<string, string>
  query?: Record<string, string | undefined>
}

export interface Published<K extends UploadKey> {
  answer: Sparse<Answer<EndpointTable[K]>>
  /** `2 files, 9 B` */
  contents: string
  /** How long packing, the upload and going live took: `1.4 s`. */
  took: string
  /** What the platform and this tool found, to be shown last. */
  warnings: string[]
}

export async function publish<K extends UploadKey>(
  dir: string,
  to: Destination<K>,
  intent: Intent,
  packages?: Site,
): Promise<Published<K>> {
  const extent = await withIgnoreRules(dir, intent.extent)
  const own = listSite(dir, extent)
  const listed = packages ? withPackages(dir, own, packages, extent) : own
  const token = requireToken()
  const { files, links, isApp, later } = await checkSite(dir, listed, {
    ...intent,
    extent,
    hasPackages: packages !== undefined,
  })
  const project = to.params?.name
  const { rules, hint } =
    isApp || project === undefined ? {} : await singlePageOf(dir, files, { project, yes: intent.yes })
  const start = performance.now()
  const site: SiteUpload = {
    dir,
    files: rules ? files.filter(({ path }) => path !== rules.path) : files,
    added: [
      ...(links.size > 0 ? [{ path: linksPath, bytes: packLinks(links) }] : []),
      ...(rules ? [rules] : []),
    ],
  }
  const commit = commitHeaders(dir)
  const lastStep = isApp ? 'Starting the app …' : 'Publishing …'
  const sendPacked = async (upload: SiteUpload) =>
    await send({ ...to, lastStep }, token, await packed(upload), await commit)
  const answer = await (project === undefined ? sendPacked(site) : sendOnlyMissing(site, project, sendPacked))
  return {
    answer,
    contents: `${count(files.length, 'file')}, ${size(totalBytes(files))}`,
    took: duration(performance.now() - start),
    warnings: [...new Set([...later, ...(hint ? [hint] : []), ...(answer.warnings ?? []).map(clean)])],
  }
}

/** What a directory was made from: its commit, as headers. Empty without git or outside of a repository. */
async function commitHeaders(dir: string): Promise<Record<string, string>> {
  const sha = (await git(dir, 'rev-parse', 'HEAD')).trim()
  if (!/^[0-9a-f]{40,64}$/.test(sha)) return {}
  const [author = '', message = ''] = (await git(dir, 'log', '-1', '--format=%an%n%s')).split('\n')
  return {
    'x-svc-git-sha': sha,
    ...(message && { 'x-svc-git-message': inHeader(message) }),
    ...(author && { 'x-svc-git-author': inHeader(author) }),
  }
}

/** Empty if it fails. */
function git(dir: string, ...args: string[]): Promise<string> {
  return new Promise(resolve => {
    execFile('git', args, { cwd: dir, timeout: 5000 }, (error, stdout) => resolve(error ? '' : stdout))
  })
}

/** Headers have no letters beyond ASCII. The platform keeps no more than this of it. */
const inHeader = (words: string): string => encodeURIComponent([...words].slice(0, 300).join(''))

function packed({ dir, files, added }: SiteUpload): Promise<Archive> {
  const packing = progressBar('Packing', totalBytes(files))
  return pack(dir, files, packing.update, added).finally(packing.end)
}

async function send<K extends UploadKey>(
  { endpoint, lastStep, ...input }: Destination<K> & { lastStep: string },
  token: string,
  archive: Archive,
  commit: Record<string, string>,
): Promise<Sparse<Answer<EndpointTable[K]>>> {
  const baseUrl = apiUrl()
  const { path } = target(endpoint, input)
  const headers = {
    ...userAgent(),
    authorization: `Bearer ${token}`,
    'content-type': 'application/gzip',
    'x-svc-cli-version': version(),
    ...commit,
  }
  const sending = progressBar('Uploading', archive.bytes)
  const waiting = waitingLine(lastStep)
  let sent = 0
  const onProgress = (bytes: number) => {
    sent = bytes
    sending.update(bytes)
    if (bytes === archive.bytes) waiting.start()
  }
  const url = new URL(baseUrl + path)
  const { status, text, location } = await upload(url, headers, archive, onProgress, {
    connectMs: environment.silenceMs(),
  })
    .catch(cause => {
      const error = networkError(baseUrl, cause, uploadReason(cause, sent / archive.bytes))
      throw isBrokenOff(cause) && sent < archive.bytes ? new BrokenUpload(error) : error
    })
    .finally(waiting.end)
    .finally(sending.end)
  return answerFrom(status, text, location)
}

const uploadReason = (cause: unknown, share: number): string | undefined =>
  isBrokenOff(cause)
    ? `the connection broke off after ${Math.floor(share * 100)} % of the upload`
    : networkReason(cause)
