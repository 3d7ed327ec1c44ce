// Sends only those files of a site that the platform lacks. After a broken connection the next attempt sends what has not
// arrived yet. A platform of an earlier version gets everything in one archive.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@svc/contract/client'
import { encodeUnchanged, totalBytes, unchangedPath } from '@svc/contract/site'
import { isBrokenOff } from '../network.ts'
import { notice } from '../output.ts'
import { progressBar } from '../progress.ts'
import { connect } from '../session.ts'
import type { SiteFile } from './list.ts'
import type { AddedFile } from './pack.ts'
import { contents } from './read.ts'

export interface SiteUpload {
  dir: string
  files: SiteFile[]
  added: AddedFile[]
}

/** A smaller site is sent whole, because asking would take longer. */
const worthAskingBytes = 1024 * 1024
const attempts = 5
const pauseMs = 1000

type Send<T> = (upload: SiteUpload) => Promise<T>

export async function sendOnlyMissing<T>(site: SiteUpload, project: string, send: Send<T>): Promise<T> {
  if (totalBytes(site.files) < worthAskingBytes) return await send(site)
  const hashes = hashFiles(site)
  for (let attempt = 1; attempt < attempts; attempt++) {
    try {
      const missing = await askMissing(project, hashes)
      return await send(missing ? without(site, hashes, missing) : site)
    } catch (error) {
      if (!isPassing(error)) throw error
      notice(`${(error as Error).message}. Sending what is still missing…`)
      await sleep(pauseMs * attempt)
    }
  }
  // The last attempt sends everything.
  return await send(site)
}

/** The connection broke before everything was sent, so nothing was published. */
export class BrokenUpload extends ApiError {
  constructor(error: ApiError) {
    super(error.status, error.code, error.message, { cause: error.cause })
  }
}

/** The connection broke, or files that the platform had are gone meanwhile. */
const isPassing = (error: unknown): boolean =>
  error instanceof BrokenUpload || (error instanceof ApiError && error.code === 'files_missing')

/** The hash of each file, by its path. */
type Hashes = ReadonlyMap<string, string>

function hashFiles({ dir, files }: SiteUpload): Hashes {
  const progress = progressBar('Comparing', totalBytes(files))
  let done = 0
  try {
    return new Map(
      files.map(file => {
        const hash = createHash('sha256')
        for (const piece of contents(dir, file)) {
          hash.update(piece)
          done += piece.length
          progress.update(done)
        }
        return [file.path, hash.digest('hex')]
      }),
    )
  } finally {
    progress.end()
  }
}

/** Asks which files the platform lacks. `undefined` if it has no such endpoint, or does not answer this token. */
async function askMissing(project: string, hashes: Hashes): Promise<ReadonlySet<string> | undefined> {
  const body = { sha256: [...new Set(hashes.values())] }
  try {
    const answer = await connect()('POST /projects/:name/deployments/missing', {
      params: { name: project },
      body,
    })
    return Array.isArray(answer.sha256) ? new Set(answer.sha256) : undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (isBrokenOff(error.cause)) throw new BrokenUpload(error)
    // A deploy token may only upload. If something else is wrong, the upload reports it.
    if (error.status >= 400) return undefined
    throw error
  }
}

/** The list comes first: the platform keeps what arrives after it if the connection breaks. */
function without(site: SiteUpload, hashes: Hashes, missing: ReadonlySet<string>): SiteUpload {
  const isUnchanged = ([, sha256]: [string, string]) => !missing.has(sha256)
  const unchanged = new Map([...hashes].filter(isUnchanged))
  const list = { path: unchangedPath, bytes: Buffer.from(encodeUnchanged(unchanged)), isFirst: true }
  return {
    ...site,
    files: site.files.filter(({ path }) => !unchanged.has(path)),
    added: [list, ...site.added],
  }
}
