// Keeps the archive of svcd's own PostgreSQL, from which a database comes back as of any second. The server leaves each full segment
// of its log, and each that is a minute old, until svcd has copied it and says so. So the server needs no rights in the archive.
import { constants } from 'node:fs'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { dayMs, hourMs, minuteMs } from '@svc/contract/durations'
import { Fault } from '../../../../lib/fault.ts'
import type { DumpTools } from '../../dumps.ts'
import { adminRole, type Cluster } from '../cluster.ts'
import { noSandbox } from '../launch.ts'
import { run } from '../run.ts'
import { type OwnServer, port } from '../server.ts'
import { ArchivePlace, chainFrom, clustersIn, removeUnfinished, segmentPattern } from './place.ts'
import { type ArchiveRecord, waitingIn } from './state.ts'
import { writeCompressed } from './write.ts'

export interface ArchiveSettings {
  folder: string
  /** Any time of so many days can be restored. */
  days: number
  /** Beyond this, the oldest days are given up. */
  bytes: number
}

/** How much of the log waits for an archive that cannot be written. Beyond this, the oldest is given up, so that the disk does not fill. */
const waitingAtMost = 128
const tidyEveryMs = 10 * minuteMs
const abandonedAfterMs = hourMs

export class ArchiveKeeper {
  readonly #settings: ArchiveSettings
  readonly #server: OwnServer
  readonly #record: ArchiveRecord
  readonly #closing = new AbortController()
  #copying: Promise<void> | undefined
  #problem: unknown
  #tidiedAt = Number.NEGATIVE_INFINITY

  constructor(settings: ArchiveSettings, server: OwnServer, record: ArchiveRecord) {
    this.#settings = settings
    this.#server = server
    this.#record = record
  }

  /** Copies what is new of the log, and begins a copy of the cluster if one is due. Records and throws what fails. */
  async look(): Promise<void> {
    const at = Date.now()
    try {
      const place = await this.#copyAll()
      await this.#record.succeeded(at, (await place.bases()).at(-1)?.finishedAt ?? null)
    } catch (error) {
      await this.#record.failed(at, error)
      throw error
    }
  }

  async #copyAll(): Promise<ArchivePlace> {
    const place = await this.copyLog()
    if (!this.#copying && performance.now() - this.#tidiedAt > tidyEveryMs) {
      this.#tidiedAt = performance.now()
      await removeUnfinished(place, Date.now() - abandonedAfterMs)
      if (await this.#isCopyDue(place)) this.#copying = this.#tryCopyCluster(place)
      await this.#prune(place)
    }
    // Without a copy of the cluster, the log alone is of no use. The next try may succeed.
    if (this.#problem) throw this.#problem
    return place
  }

  async #tryCopyCluster(place: ArchivePlace): Promise<void> {
    try {
      await this.#copyCluster(place)
      this.#problem = undefined
    } catch (error) {
      this.#problem = error
    } finally {
      this.#copying = undefined
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#copying
  }

  /** Also called by a command beside svcd. Both may copy the same segment. */
  async copyLog(): Promise<ArchivePlace> {
    const { clusterDir } = await this.#server.cluster()
    const log = path.join(clusterDir, 'pg_wal')
    try {
      const place = await this.#place()
      for (const name of await waitingIn(log)) {
        if (segmentPattern.test(name)) await copySegment(path.join(log, name), place, name)
        await release(log, name)
      }
      return place
    } catch (error) {
      for (const name of (await waitingIn(log)).slice(0, -waitingAtMost)) await release(log, name)
      throw error
    }
  }

  /** Ends the current segment with a change of its own, so that every moment until now can be recovered. */
  async endSegment(): Promise<void> {
    await this.#asAdmin(async client => {
      // A recovery to a time needs a transaction that is later.
      await client.query('select pg_current_xact_id()')
      await client.query('select pg_switch_wal()')
    })
  }

  async #place(): Promise<ArchivePlace> {
    const { folder } = this.#settings
    const found = await stat(folder).catch(() => undefined)
    if (!found?.isDirectory())
      throw new Fault(
        'unavailable',
        `${folder} (SVCD_APPS_POSTGRES_ARCHIVE) is not there. Mount its disk, or make the folder.`,
      )
    const { id, mode } = await this.#asAdmin(async client => {
      const control =
        "select system_identifier::text as id, current_setting('archive_mode') as mode from pg_control_system()"
      return (await client.query<{ id: string; mode: string }>(control)).rows[0]!
    })
    if (mode !== 'on')
      throw new Error(
        'the server of the databases was started without an archive. Restart svcd: systemctl restart svcd',
      )
    const place = new ArchivePlace(folder, id)
    await place.make()
    return place
  }

  async #asAdmin<T>(work: (client: Awaited<ReturnType<OwnServer['connect']>>) => Promise<T>): Promise<T> {
    const client = await this.#server.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }

  /** Once a day; and at once if there is none, the log after it has a gap, or everything is too large. */
  async #isCopyDue(place: ArchivePlace): Promise<boolean> {
    const newest = (await place.bases()).at(-1)
    if (!newest || Date.now() - newest.finishedAt >= dayMs) return true
    const since = (await place.segments()).filter(name => name >= newest.firstSegment)
    if (chainFrom(newest.firstSegment, since).length < since.length) return true
    const isTooLarge = (await sizeOf(place)) > this.#settings.bytes
    return isTooLarge && Date.now() - newest.finishedAt > hourMs
  }

  async #copyCluster(place: ArchivePlace): Promise<void> {
    const cluster = await this.#server.cluster()
    const firstSegment = await this.#asAdmin(async client => {
      const { rows } = await client.query<{ name: string }>(
        'select pg_walfile_name(pg_current_wal_insert_lsn()) as name',
      )
      return rows[0]!.name
    })
    await writeCompressed(place.baseDir, async content => {
      let bytes = 0
      const counted = new Transform({
        transform(chunk: Buffer, _, done) {
          bytes += chunk.length
          done(null, chunk)
        },
      })
      const passed = pipeline(counted, content, { end: false })
      passed.catch(() => undefined)
      await copyOf(cluster, counted, this.#closing.signal)
      counted.end()
      await passed
      const finishedAt = Date.now()
      return { file: place.baseFile(finishedAt, firstSegment, bytes), writtenAt: finishedAt }
    })
    await this.#prune(place)
  }

  /** Removes what no time within the days needs. The newest copy of the cluster stays, with the log after it. */
  async #prune(place: ArchivePlace): Promise<void> {
    const { folder, days, bytes } = this.#settings
    const from = Date.now() - days * dayMs
    const bases = await place.bases()
    while (bases.length > 1 && (bases[1]!.finishedAt <= from || (await sizeOf(place)) > bytes)) {
      await rm(bases.shift()!.file, { force: true })
      const first = bases[0]!.firstSegment
      for (const name of await place.segments())
        if (name < first) await rm(place.segmentFile(name), { force: true })
    }
    for (const other of await clustersIn(folder)) {
      const former = new ArchivePlace(folder, other)
      if (former.dir === place.dir) continue
      const last = (await former.segments()).at(-1)
      const lastAt = last ? await former.writtenAt(last) : ((await former.bases()).at(-1)?.finishedAt ?? 0)
      if (lastAt < from) await rm(former.dir, { recursive: true, force: true })
    }
  }
}

/** From here on the server may use the segment again. */
async function release(log: string, name: string): Promise<void> {
  const status = path.join(log, 'archive_status', name)
  await rename(`${status}.ready`, `${status}.done`).catch(ignoreMissing)
}

async function copySegment(source: string, place: ArchivePlace, name: string): Promise<void> {
  const handle = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { mtimeMs: writtenAt } = await handle.stat()
    await writeCompressed(place.logDir, async content => {
      await pipeline(handle.createReadStream({ autoClose: false }), content, { end: false })
      return { file: place.segmentFile(name), writtenAt }
    })
  } finally {
    await handle.close()
  }
}

/** As a tar archive, without the log, which the archive has anyway. */
async function copyOf(cluster: Cluster, output: Writable, signal: AbortSignal): Promise<void> {
  const { programs, socketDir: host, password } = cluster
  const tools: DumpTools = { bin: programs.bin, launcher: noSandbox, host, port }
  const args = [
    '--pgdata=-',
    '--format=tar',
    '--wal-method=none',
    '--checkpoint=fast',
    '--no-manifest',
    '--no-password',
  ]
  const env = { PGHOST: tools.host, PGPORT: String(tools.port), PGUSER: adminRole, PGPASSWORD: password }
  await run(tools.launcher, [path.join(tools.bin, 'pg_basebackup'), ...args], { output, env, signal })
}

async function sizeOf({ baseDir, logDir }: ArchivePlace): Promise<number> {
  let bytes = 0
  for (const dir of [baseDir, logDir])
    for (const name of await readdir(dir))
      bytes += (await stat(path.join(dir, name)).catch(() => undefined))?.size ?? 0
  return bytes
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
