// Chooses which requests the request log keeps, and writes them. Each project has an allowance per second, and errors have one
// of their own, so that a flood of visitors costs little and hides no failure.
import { randomText } from '../../lib/ids.ts'
import { insertRequests, trimRequests } from '../../store/logs/requests.ts'
import type { Store } from '../../store/store.ts'
import type { RequestRow } from '../../store/tables.ts'
import type { Access } from '../stats/access.ts'
import { pathOf } from '../stats/counter.ts'

interface RequestLogSettings {
  /** How many requests of a project are kept per second over time, and how many at once. */
  perSecond: number
  burst: number
  /** How many errors and how many other requests of a project are stored. */
  keep: number
  /** How many rows may wait for the database. */
  waiting: number
}

const defaults: RequestLogSettings = { perSecond: 5, burst: 200, keep: 5_000, waiting: 5_000 }
/** A project is trimmed after so many new rows. */
const trimAfter = 500
const projectsAtMost = 10_000
const longest = { method: 16, host: 253, cache: 32 }

type Kind = 'failed' | 'refused' | 'fine'

const kindOf = (status: number): Kind => (status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'fine')

/** What is known of a project since its last row. */
interface Watched {
  room: Record<Kind, number>
  at: number
  leftOut: number
  untrimmed: number
}

const ofThisProcess = randomText(8)
let last = 0
/** Ids of one process grow, so that requests of the same millisecond stay in order. */
const newRowId = (): string => `${ofThisProcess}${(++last).toString(36).padStart(8, '0')}`

export class RequestRecorder {
  readonly #store: Store
  readonly #settings: RequestLogSettings
  readonly #projects = new Map<string, Watched>()
  #rows: RequestRow[] = []

  constructor(store: Store, settings: Partial<RequestLogSettings> = {}) {
    this.#store = store
    this.#settings = { ...defaults, ...settings }
  }

  add(access: Access): void {
    const watched = this.#watch(access)
    const kind = kindOf(access.status)
    if (watched.room[kind] < 1 || this.#rows.length >= this.#settings.waiting) {
      watched.leftOut += access.times
      return
    }
    watched.room[kind]--
    watched.untrimmed++
    this.#rows.push(rowOf(access, watched.leftOut))
    watched.leftOut = 0
  }

  /** Throws if writing fails. If the database does not answer, the rows are kept for the next attempt. */
  async write(): Promise<void> {
    const rows = this.#rows
    if (rows.length === 0) return
    this.#noteLeftOut(rows)
    this.#rows = []
    try {
      await this.#store.transact(tx => insertRequests(tx, rows))
    } catch (error) {
      this.#rows = [...rows, ...this.#rows]
      await this.#store.check()
      // The database works, so it refuses one of the rows, and would refuse it again.
      this.#rows = []
      throw error
    }
    for (const projectId of new Set(rows.map(row => row.project_id))) await this.#trim(projectId)
  }

  async #trim(projectId: string): Promise<void> {
    const watched = this.#projects.get(projectId)
    if (watched === undefined || watched.untrimmed < trimAfter) return
    await this.#store.transact(tx => trimRequests(tx, projectId, this.#settings.keep))
    watched.untrimmed = 0
  }

  /** Requests that were left out after the last row of their project are noted in that row. */
  #noteLeftOut(rows: RequestRow[]): void {
    const newest = new Map(rows.map(row => [row.project_id, row]))
    for (const [projectId, row] of newest) {
      const watched = this.#projects.get(projectId)
      if (watched === undefined) continue
      row.left_out += watched.leftOut
      watched.leftOut = 0
    }
  }

  /** The project's entry, with the allowance of the time that has passed. */
  #watch({ projectId, at }: Access): Watched {
    const { perSecond, burst } = this.#settings
    let watched = this.#projects.get(projectId)
    if (watched === undefined) {
      if (this.#projects.size >= projectsAtMost) this.#projects.clear()
      watched = { room: { failed: burst, refused: burst, fine: burst }, at, leftOut: 0, untrimmed: 0 }
      this.#projects.set(projectId, watched)
    }
    if (at > watched.at) {
      const more = ((at - watched.at) / 1000) * perSecond
      const { room } = watched
      for (const kind of Object.keys(room) as Kind[]) room[kind] = Math.min(burst, room[kind] + more)
      watched.at = at
    }
    return watched
  }
}

const rowOf = (access: Access, left_out: number): RequestRow => ({
  project_id: access.projectId,
  created_at: access.at,
  id: newRowId(),
  method: access.method.slice(0, longest.method),
  host: access.host.slice(0, longest.host).toLowerCase(),
  path: pathOf(access),
  status: access.status,
  ms: access.ms ?? null,
  bytes: access.bytes,
  cache: access.cache?.slice(0, longest.cache) ?? null,
  deployment_id: access.deploymentId ?? null,
  request_id: access.requestId ?? null,
  times: access.times,
  left_out,
})
