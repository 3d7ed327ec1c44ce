// Stores app logs in the data directory, with a folder for each project. They outlive instances and deployments.
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { formatWhole } from '@svc/contract/whole-number'
import type { NanoClock } from '../../lib/nanoseconds.ts'
import { Allowance, type Rate } from './allowance.ts'
import { Journal, type JournalSettings } from './journal.ts'
import { LineSplitter } from './line-splitter.ts'
import {
  type KeptLogs,
  type LogLine,
  type LogQuery,
  type LogSink,
  type LogSource,
  type OutputStream,
  platformMark,
} from './port.ts'
import { readBack } from './read-back.ts'
import { type Entry, recordOverhead } from './record.ts'
import { nothingThere, removeUntouched } from './segments.ts'

const MB = 1024 * 1024

export interface DiskLogsSettings {
  dir: string
  /** Per project. */
  bytesAtMost: number
  now: NanoClock
  onError: (error: unknown) => void
  /** Per instance. */
  rate?: Rate
}

const defaultRate: Rate = { bytesPerSecond: 1 * MB, burstBytes: 8 * MB }
/** At least the size of a burst, because a burst comes faster than any disk can write. */
const waitingBytesAtMost = 8 * MB
const tellAfterMs = 1_000
const idPattern = /^\w+$/

export class DiskAppLogs implements KeptLogs {
  readonly #settings: DiskLogsSettings
  readonly #journals = new Map<string, Journal>()

  constructor(settings: DiskLogsSettings) {
    this.#settings = settings
  }

  open(source: LogSource): LogSink {
    const { now, rate = defaultRate } = this.#settings
    return new InstanceLog(source, this.#journal(source.projectId), now, new Allowance(rate))
  }

  async lastOf({ projectId, instanceId }: LogSource): Promise<bigint> {
    const keep = (line: LogLine): boolean => line.instanceId === instanceId
    const [line] = await this.read({ projectId, keep, tail: 1, bytes: Number.POSITIVE_INFINITY })
    return line?.at ?? 0n
  }

  async read(query: LogQuery): Promise<LogLine[]> {
    const { projectId, ...wanted } = query
    await this.#journals.get(projectId)?.written()
    return await readBack(this.#dirOf(projectId), wanted)
  }

  async *projects(): AsyncIterable<string> {
    for (const name of (await readdir(this.#settings.dir).catch(nothingThere)) ?? [])
      if (idPattern.test(name)) yield name
  }

  async remove(projectId: string): Promise<void> {
    await this.#journal(projectId).remove()
    this.#journals.delete(projectId)
  }

  async removeOlder(than: number): Promise<void> {
    for await (const projectId of this.projects())
      await removeUntouched(this.#dirOf(projectId), than, this.#journals.get(projectId)?.inUse ?? false)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#journals.values()].map(journal => journal.written()))
  }

  #journal(projectId: string): Journal {
    const known = this.#journals.get(projectId)
    if (known) return known
    const { bytesAtMost, onError } = this.#settings
    const settings: JournalSettings = { bytesAtMost, onError, waitingBytesAtMost }
    const journal = new Journal(this.#dirOf(projectId), settings)
    this.#journals.set(projectId, journal)
    return journal
  }

  /** Ids become directory names, so anything that could lead to another directory is refused. */
  #dirOf(projectId: string): string {
    if (!idPattern.test(projectId)) throw new Error(`Not a project id: ${JSON.stringify(projectId)}`)
    return path.join(this.#settings.dir, projectId)
  }
}

/** The output of one instance: split into lines and limited by its allowance. Dropped lines are counted and mentioned. */
class InstanceLog implements LogSink {
  readonly #source: LogSource
  readonly #journal: Journal
  readonly #now: NanoClock
  readonly #allowance: Allowance
  readonly #splitters = { stdout: new LineSplitter(), stderr: new LineSplitter() }
  #dropped = 0
  #telling: NodeJS.Timeout | undefined
  #closed: Promise<void> | undefined

  constructor(source: LogSource, journal: Journal, now: NanoClock, allowance: Allowance) {
    this.#source = source
    this.#journal = journal
    this.#now = now
    this.#allowance = allowance
    journal.join()
  }

  write(stream: OutputStream, chunk: Buffer, at = this.#now()): boolean {
    if (this.#closed) return true
    for (const line of this.#splitters[stream].push(chunk)) this.#take(stream, line, at)
    return this.#dropped === 0 && !this.#journal.isBehind
  }

  note(words: string): void {
    if (!this.#closed) this.#appendNote(words)
  }

  close(lastNote?: string): Promise<void> {
    this.#closed ??= this.#end(lastNote)
    return this.#closed
  }

  async #end(lastNote: string | undefined): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = this.#splitters[stream].end()
      if (rest) this.#take(stream, rest, this.#now())
    }
    await this.#journal.written()
    this.#tellDropped()
    if (lastNote !== undefined) this.#appendNote(lastNote)
    await this.#journal.leave()
  }

  /** Notes do not count against the allowance of the app. Returns false if the disk cannot keep up. */
  #appendNote(words: string, missing?: number): boolean {
    const line = Buffer.from(platformMark + words.replaceAll('\n', ' '))
    return this.#append({ source: 'platform', line, ...(missing !== undefined && { missing }) })
  }

  #take(stream: OutputStream, line: Buffer, at: bigint): void {
    const allowed = this.#allowance.spend(line.length + recordOverhead)
    if (allowed) this.#tellDropped()
    if (allowed && this.#append({ source: stream, line, at })) return
    this.#dropped++
    // Mention the gap even if no further line comes.
    this.#telling ??= setTimeout(() => this.#tellDropped(), tellAfterMs).unref()
  }

  /** Writes a note in place of the dropped lines. */
  #tellDropped(): void {
    clearTimeout(this.#telling)
    this.#telling = undefined
    const lost = this.#journal.takeLost()
    this.#dropped += lost
    if (this.#dropped === 0) return
    const lines = this.#dropped === 1 ? '1 line' : `${formatWhole(this.#dropped)} lines`
    const why = lost > 0 ? 'the disk refused' : 'more was written than the log can take'
    if (this.#appendNote(`${lines} left out here: ${why}.`, this.#dropped)) this.#dropped = 0
  }

  #append(entry: Pick<Entry, 'source' | 'line' | 'missing'> & { at?: bigint }): boolean {
    const { instanceId, deploymentId } = this.#source
    return this.#journal.append({ at: this.#now(), ...entry, instanceId, deploymentId })
  }
}
