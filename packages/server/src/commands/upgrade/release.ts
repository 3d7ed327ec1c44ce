// A release: the package, its checksums, and the signature of the checksums. It comes from a folder or from a server, and is
// copied before it is checked, so that what was checked is what is installed.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { minuteMs } from '@svc/contract/durations'
import type { Settings } from '../../config.ts'
import { Fault } from '../../lib/fault.ts'
import { programFile } from '../../program-files.ts'

const sumsName = 'SHA256SUMS'
const signatureName = `${sumsName}.sig`
/** The public key of those who make the releases. A version without one does not ask for signatures. */
const keyName = '../release-key.pem'
const bytesAtMost = 512 * 1024 ** 2
const downloadMs = 30 * minuteMs

interface CheckedRelease {
  file: string
  isSigned: boolean
}

/** Copies the release into the folder, and throws if it is not what its checksums and its signature say. */
export async function bringRelease(
  source: string,
  settings: Pick<Settings, 'releasesUrl'>,
  dir: string,
): Promise<CheckedRelease> {
  const { name, bring } = placeOf(source, settings)
  const key = releaseKey()
  for (const each of [name, sumsName, ...(key ? [signatureName] : [])])
    await bring(each, path.join(dir, each))
  const sums = readFileSync(path.join(dir, sumsName))
  if (key) {
    const signature = Buffer.from(readFileSync(path.join(dir, signatureName), 'utf8'), 'base64')
    if (!verify(null, sums, key, signature))
      throw new Fault(
        'invalid_request',
        `The signature of ${sumsName} is not by the key of this svcd. Somebody else made this release, or the files are damaged: download them again from where you trust.`,
      )
  }
  const line = sums
    .toString()
    .split('\n')
    .find(line => line.slice(66) === name)
  if (!line) throw new Fault('invalid_request', `${sumsName} has no line for ${name}. Download both again.`)
  const file = path.join(dir, name)
  if (line.slice(0, 64) !== (await sumOf(file)))
    throw new Fault(
      'invalid_request',
      `${name} is not what ${sumsName} says: it is damaged, or was changed. Download both again.`,
    )
  return { file, isSigned: key !== undefined }
}

interface Place {
  /** The name of the package. */
  name: string
  /** Copies a file of the release. */
  bring(name: string, to: string): Promise<void>
}

const versionText = /^v?(\d+\.\d+\.\d+(?:[-+][\w.+-]*)?)$/

function placeOf(source: string, { releasesUrl }: Pick<Settings, 'releasesUrl'>): Place {
  const [, version] = existsSync(source) ? [] : (versionText.exec(source) ?? [])
  if (version === undefined && !/^https?:/.test(source)) return folderOf(source)
  if (version !== undefined && releasesUrl === undefined)
    throw new Fault(
      'invalid_request',
      `svcd does not know where to get the version ${version}. Name the file of the release, or its URL, or set SVCD_RELEASES_URL.`,
    )
  const base = releasesUrl?.replaceAll('{version}', version ?? '') ?? ''
  const url =
    version === undefined
      ? new URL(source)
      : new URL(`svcd-${version}.tgz`, base.endsWith('/') ? base : `${base}/`)
  requireSafe(url)
  return {
    name: path.posix.basename(url.pathname),
    bring: (name, to) => download(new URL(name, url), to),
  }
}

function folderOf(file: string): Place {
  return {
    name: path.basename(file),
    async bring(name, to) {
      await copyFile(path.join(path.dirname(file), name), to).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== 'ENOENT') throw cause
        const beside =
          name === path.basename(file) ? '' : ` It belongs beside ${file}: copy all files of the release.`
        throw new Fault('not_found', `There is no file ${path.join(path.dirname(file), name)}.${beside}`, {
          cause,
        })
      })
    },
  }
}

/** Without a signature, whoever changes the answers on the way changes the checksum as well. */
function requireSafe(url: URL): void {
  if (url.protocol !== 'https:' && !['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname))
    throw new Fault('invalid_request', `${url.href} is not safe from changes on the way. Use https.`)
}

/** Follows redirects to safe places alone. */
async function fetchSafely(url: URL, signal: AbortSignal, redirects = 5): Promise<Response> {
  requireSafe(url)
  const answer = await fetch(url, { signal, redirect: 'manual' })
  const location = answer.headers.get('location')
  if (answer.status < 300 || answer.status >= 400 || location === null) return answer
  await answer.body?.cancel()
  if (redirects === 0) throw new Error('it is redirected too often')
  return await fetchSafely(new URL(location, url), signal, redirects - 1)
}

async function download(url: URL, to: string): Promise<void> {
  try {
    const answer = await fetchSafely(url, AbortSignal.timeout(downloadMs))
    if (!answer.ok || !answer.body) throw new Error(`the server answers ${answer.status}`)
    await pipeline(Readable.fromWeb(answer.body), atMost(bytesAtMost), createWriteStream(to))
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    const { message, cause: why } = cause as Error
    const words = why instanceof Error ? why.message : message
    throw new Fault('unavailable', `${url.href} could not be downloaded: ${words}.`, { cause })
  }
}

function atMost(bytes: number): Transform {
  let left = bytes
  return new Transform({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length
      done(left < 0 ? new Error(`it is larger than ${bytes / 1024 ** 2} MB`) : null, chunk)
    },
  })
}

function releaseKey() {
  const file = programFile(keyName)
  return existsSync(file) ? createPublicKey(readFileSync(file)) : undefined
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
