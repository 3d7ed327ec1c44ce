// Leaves files out of an upload that the platform has already, from an earlier deployment of the project.
import { encodeUnchanged, totalBytes, unchangedPath } from '@svc/contract/site'
import { call } from '../api.ts'
import { readContent } from './pack.ts'
import { type SiteFile, siteFile } from './selection.ts'

/** A smaller site is sent whole, because asking would take longer. */
const worthAskingBytes = 1024 * 1024

interface Comparing {
  signal: AbortSignal
  onProgress(done: number, total: number): void
}

/** The files to send: a list of the others comes first. All of them if the platform does not know any. */
export async function leaveOutUnchanged(
  project: string,
  files: SiteFile[],
  comparing: Comparing,
): Promise<SiteFile[]> {
  // Browsers hash only on pages that came over HTTPS or from this machine.
  if (totalBytes(files) < worthAskingBytes || !globalThis.crypto?.subtle) return files
  const hashes = await hashFiles(files, comparing)
  const missing = await missingAmong(project, [...new Set(hashes.values())])
  comparing.signal.throwIfAborted()
  const unchanged = new Map([...hashes].filter(([, sha256]) => !missing.has(sha256)))
  if (unchanged.size === 0) return files
  const list = siteFile(unchangedPath, new File([encodeUnchanged(unchanged)], 'unchanged.json'))
  return [list, ...files.filter(({ path }) => !unchanged.has(path))]
}

/** The SHA-256 hash of each file in hex, by its path. */
async function hashFiles(
  files: SiteFile[],
  { signal, onProgress }: Comparing,
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>()
  const total = totalBytes(files)
  let done = 0
  for (const file of files) {
    signal.throwIfAborted()
    const digest = await crypto.subtle.digest('SHA-256', await readContent(file))
    hashes.set(
      file.path,
      [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join(''),
    )
    done += file.size
    onProgress(done, total)
  }
  return hashes
}

/** Which hashes the platform lacks. If it cannot say, it lacks all: the upload itself tells what is wrong. */
async function missingAmong(name: string, sha256: string[]): Promise<ReadonlySet<string>> {
  const known = await call('POST /projects/:name/deployments/missing', {
    params: { name },
    body: { sha256 },
  }).catch(() => undefined)
  return new Set(known?.sha256 ?? sha256)
}
