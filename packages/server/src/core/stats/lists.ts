// Limits the lists of names. A list of an hour is complete until 50,000 requests have come in that hour. After
// that it is a sample that keeps the most frequent names, so that a visitor who tries out names cannot make it grow. The
// lists of a day hold a few hundred names.

import { limits } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { longLists, type NameList, pruneNames, sampledSince } from '../../store/stats/intake.ts'
import type { Store } from '../../store/store.ts'
import type { StatsNameRow } from '../../store/tables.ts'
import { dayOf } from '../base/periods.ts'

type Kind = StatsNameRow['kind']

/** Whether there is one list per hour or per day, and how many names a list keeps. retention.ts says for how long. */
export const listKinds: Record<Kind, { of: 'hour' | 'day'; keep: number }> = {
  cache: { of: 'hour', keep: 50 },
  country: { of: 'hour', keep: 250 },
  host: { of: 'hour', keep: 50 },
  path: { of: 'hour', keep: 100 },
  // Browsers, devices and systems have few names: see agents.ts.
  'view browser': { of: 'day', keep: 50 },
  // All that is known of a pageview in one name: see breakdown.ts.
  'view combined': { of: 'day', keep: 200 },
  'view country': { of: 'day', keep: 250 },
  'view device': { of: 'day', keep: 50 },
  'view page': { of: 'day', keep: 200 },
  'view referrer': { of: 'day', keep: 200 },
  'view system': { of: 'day', keep: 50 },
}

const kinds = Object.keys(listKinds) as Kind[]

interface Watched {
  /** The names that were written since the lists were last cut. */
  names: number
  /** The last hour whose lists are a sample. */
  sampled: number
}

const lookAfter = 1_000
const projectsAtMost = 10_000

export class ListKeeper {
  readonly #store: Store
  readonly #watched = new Map<string, Watched>()

  constructor(store: Store) {
    this.#store = store
  }

  /** The most names that one write adds to a list. Of a thousand names with one request each, most are noise. */
  readonly atMost = ({ project_id, kind, since }: NameList): number => {
    const { of, keep } = listKinds[kind]
    if (of === 'day') return 2 * keep
    return since <= (this.#watched.get(project_id)?.sampled ?? 0) ? keep : Number.POSITIVE_INFINITY
  }

  /** Cuts the lists of projects that had many new names. */
  async wrote(names: StatsNameRow[]): Promise<void> {
    const now = new Map<string, number>()
    for (const { project_id, since } of names) {
      this.#of(project_id).names++
      now.set(project_id, Math.max(since, now.get(project_id) ?? 0))
    }
    for (const [projectId, since] of now)
      if (this.#of(projectId).names >= lookAfter) await this.#look(projectId, since)
  }

  async #look(projectId: string, now: number): Promise<void> {
    const before = this.#of(projectId)
    const sampled = await sampledSince(this.#store.db, projectId, limits.statsEntries)
    const spans = {
      hour: { from: before.sampled, to: sampled },
      // Yesterday's lists may have grown just before the day ended.
      day: { from: dayOf(now) - dayMs, to: now },
    }
    for (const kind of kinds) {
      const { of, keep } = listKinds[kind]
      // In a transaction, because SQLite runs transactions on the writer thread.
      await this.#store.transact(async tx => {
        const lists = { project_id: projectId, kind, ...spans[of] }
        for (const list of await longLists(tx, lists, 2 * keep)) await pruneNames(tx, list, keep)
      })
    }
    this.#watched.set(projectId, { names: 0, sampled })
  }

  #of(projectId: string): Watched {
    let watched = this.#watched.get(projectId)
    if (watched === undefined) {
      if (this.#watched.size >= projectsAtMost) this.#watched.clear()
      watched = { names: 0, sampled: 0 }
      this.#watched.set(projectId, watched)
    }
    return watched
  }
}
