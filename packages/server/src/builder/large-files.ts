// Puts files in Git LFS in the place of their pointers. What cannot be fetched stays a pointer, and the log says so.
import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { formatBytes } from '@svc/contract/bytes'
import { minuteMs } from '@svc/contract/durations'
import { diskFiles } from '@svc/contract/project/disk'
import type { CheckedOut } from '../core/builds/source.ts'
import { Fault } from '../lib/fault.ts'
import { GitHostError, type LargeFile } from '../ports/git-hosts/port.ts'
import { type Job, timed } from './job.ts'

const filesAtMost = 2_000
const bytesAtMost = 1024 ** 3
const withinMs = 10 * minuteMs
/** Pointers have about 130 bytes. */
const pointerBytes = 1024
const namedAtMost = 5

const advice =
  'the build sees their pointers. Commit the files themselves, or fetch them in the install command (svc git connect --install-cmd)'

interface Pointer extends LargeFile {
  /** Below the folder of the build. */
  path: string
}

/** Returns the folder for downloads of a build. */
export const largeFilesDir = (dir: string): string => `${dir}.lfs`

export async function fetchLargeFiles(job: Job, { url, credentials }: CheckedOut): Promise<void> {
  const { dir, log, signal } = job
  if (!(await diskFiles(dir).read('.gitattributes'))?.includes('filter=lfs')) return
  const pointers = await findPointers(dir)
  if (pointers.length === 0) return
  if (url === undefined)
    return log.line(`Note: repositories of this platform have no files in Git LFS, ${advice}.`)
  const files = [...new Map(pointers.map(pointer => [pointer.oid, pointer])).values()]
  const sizes = new Map(files.map(({ oid, size }) => [oid, size]))
  // A file that many pointers name is copied for each.
  const bytes = pointers.reduce((sum, { oid }) => sum + sizes.get(oid)!, 0)
  if (files.length > filesAtMost || bytes > bytesAtMost)
    return log.line(
      `Note: files in Git LFS are not fetched, since they are more than ${filesAtMost} or ${formatBytes(bytesAtMost)}: ${advice}.`,
    )
  const either = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
  const folder = largeFilesDir(dir)
  await mkdir(folder, { recursive: true })
  try {
    const source = { url, credentials: await credentials?.() }
    const { gitHosts } = job.parts.platform
    const problems = await timed(
      log,
      `Fetching ${files.length} files in Git LFS, ${formatBytes(bytes)}`,
      () => gitHosts.downloadLargeFiles(source, files, folder, either),
    )
    for (const { path: name, oid } of pointers)
      if (!problems.has(oid)) await copyFile(path.join(folder, oid), path.join(dir, name))
    noteMissing(job, pointers, problems)
  } catch (error) {
    signal.throwIfAborted()
    log.line(`Note: files in Git LFS are not fetched, ${advice}. The reason: ${reasonOf(error, either)}.`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function noteMissing(
  { log }: Job,
  pointers: readonly Pointer[],
  problems: ReadonlyMap<string, string>,
): void {
  const missing = pointers.filter(({ oid }) => problems.has(oid))
  if (missing.length === 0) return
  log.line(`Note: ${missing.length} files in Git LFS are not fetched, ${advice}.`)
  for (const { path: name, oid } of missing.slice(0, namedAtMost)) log.line(`  ${name}: ${problems.get(oid)}`)
}

function reasonOf(error: unknown, given: AbortSignal): string {
  if (given.aborted) return 'it took too long'
  if (error instanceof GitHostError || error instanceof Fault) return error.message.replace(/\.$/, '')
  return 'the host gave an answer that svcd does not understand'
}

async function findPointers(dir: string): Promise<Pointer[]> {
  const found: Pointer[] = []
  for (const folders = ['']; folders.length > 0; ) {
    const folder = folders.pop()!
    for (const entry of await readdir(path.join(dir, folder), { withFileTypes: true })) {
      const name = path.join(folder, entry.name)
      if (entry.isDirectory()) folders.push(name)
      else if (entry.isFile()) {
        const file = await pointerIn(path.join(dir, name))
        if (file) found.push({ path: name, ...file })
      }
    }
  }
  return found
}

async function pointerIn(file: string): Promise<LargeFile | undefined> {
  const opened = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    if ((await opened.stat()).size > pointerBytes) return undefined
    return readPointer((await opened.readFile()).toString('latin1'))
  } finally {
    await opened.close()
  }
}

const version = 'version https://git-lfs.github.com/spec/v1\n'

function readPointer(text: string): LargeFile | undefined {
  if (!text.startsWith(version)) return undefined
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1]
  const size = Number(/^size (\d{1,15})$/m.exec(text)?.[1])
  return oid !== undefined && Number.isSafeInteger(size) ? { oid, size } : undefined
}
