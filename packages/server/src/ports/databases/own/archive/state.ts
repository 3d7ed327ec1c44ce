// How the archive is doing. svcd keeps it in memory and in a file beside the cluster, where `svcd doctor` reads it.
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { minuteMs } from '@svc/contract/durations'
import { z } from 'zod'
import type { ArchiveState } from '../../port.ts'

const time = z.number().nullable()
const shape = z.object({
  archivedAt: time,
  copiedAt: time,
  failures: z.number(),
  failingSince: time,
  error: z.string().nullable(),
})

type Known = z.infer<typeof shape>

const nothing: Known = { archivedAt: null, copiedAt: null, failures: 0, failingSince: null, error: null }

const segmentBytes = 16 * 1024 ** 2
const errorAtMost = 500
const savedEveryMs = minuteMs

export class ArchiveRecord {
  readonly #dir: string
  #known: Known | undefined
  #savedAt = 0

  /** `dir`: that of the cluster's files. */
  constructor(dir: string) {
    this.#dir = dir
  }

  /** Everything until `archivedAt` is in the archive. `copiedAt`: when the newest copy of the cluster ended. */
  async succeeded(archivedAt: number, copiedAt: number | null): Promise<void> {
    const before = await this.#read()
    this.#known = { ...nothing, archivedAt, copiedAt }
    const isNews = before.failures > 0 || before.copiedAt !== copiedAt
    if (isNews || archivedAt - this.#savedAt >= savedEveryMs) await this.#save(archivedAt)
  }

  async failed(at: number, error: unknown): Promise<void> {
    const before = await this.#read()
    this.#known = {
      ...before,
      failures: before.failures + 1,
      failingSince: before.failingSince ?? at,
      error: String((error as Error).message).slice(0, errorAtMost),
    }
    if (this.#known.error !== before.error || at - this.#savedAt >= savedEveryMs) await this.#save(at)
  }

  async state(folder: string): Promise<ArchiveState> {
    return { folder, ...(await this.#read()), waitingBytes: await waitingBytes(this.#dir) }
  }

  async #read(): Promise<Known> {
    if (this.#known) return this.#known
    try {
      return shape.parse(JSON.parse(await readFile(this.#file, 'utf8')))
    } catch {
      return nothing // None yet, or a crash left half of it. It is written again soon.
    }
  }

  async #save(at: number): Promise<void> {
    this.#savedAt = at
    await writeFile(`${this.#file}.tmp`, JSON.stringify(this.#known), { mode: 0o600 })
    await rename(`${this.#file}.tmp`, this.#file)
  }

  get #file(): string {
    return path.join(this.#dir, 'archive.json')
  }
}

/** What the server has left to be copied, oldest first. */
export const waitingIn = async (log: string): Promise<string[]> =>
  (await readdir(path.join(log, 'archive_status')))
    .filter(name => name.endsWith('.ready'))
    .map(name => name.slice(0, -'.ready'.length))
    .sort()

async function waitingBytes(dir: string): Promise<number> {
  const waiting = await waitingIn(path.join(dir, 'cluster', 'pg_wal')).catch(() => [])
  return waiting.length * segmentBytes
}
