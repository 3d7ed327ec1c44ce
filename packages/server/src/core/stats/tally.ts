// Counts that wait to be written, by project and hour or day. Sums are always exact. The number of names and visitors is
// limited.
import { detached } from '../../lib/detached.ts'
import { type Counts, emptyHour, type NameList } from '../../store/stats/intake.ts'
import type { StatsHourRow, StatsNameRow } from '../../store/tables.ts'

interface TallySettings {
  names: number
  /** The limit for one list of a day. At most a few hundred names of it are written. */
  namesOfDay: number
  visitors: number
}

const defaults: TallySettings = { names: 50_000, namesOfDay: 2_000, visitors: 100_000 }

type Kind = StatsNameRow['kind']

/** The lists of one project in one hour, or on one day. */
class Lists {
  readonly #of: Omit<NameList, 'kind'>
  /** The limits for all lists together, and for each list. */
  readonly #room: { names: number }
  readonly #each: number
  readonly #onFull: ((requests: number) => void) | undefined
  readonly #lists = new Map<Kind, Map<string, StatsNameRow>>()

  constructor(
    of: Omit<NameList, 'kind'>,
    room: { names: number },
    each = Number.POSITIVE_INFINITY,
    onFull?: (requests: number) => void,
  ) {
    this.#of = of
    this.#room = room
    this.#each = each
    this.#onFull = onFull
  }

  add(kind: Kind, name: string, requests: number, bytes = 0): void {
    let list = this.#lists.get(kind)
    if (list === undefined) {
      list = new Map()
      this.#lists.set(kind, list)
    }
    const row = list.get(name)
    if (row !== undefined) {
      row.requests += requests
      row.bytes += bytes
    } else if (this.#room.names > 0 && list.size < this.#each) {
      this.#room.names--
      const { project_id, since } = this.#of
      const kept = detached(name)
      list.set(kept, { project_id, kind, since, name: kept, requests, bytes })
    } else this.#onFull?.(requests)
  }

  rows(atMost: (list: NameList) => number): StatsNameRow[] {
    return [...this.#lists].flatMap(([kind, list]) =>
      mostOf([...list.values()], atMost({ ...this.#of, kind })),
    )
  }
}

interface Hour {
  row: StatsHourRow
  lists: Lists
}

export class Tally {
  readonly #hours = new Map<string, Hour>()
  /** The last hour used, because the next answer usually belongs to the same one. */
  #last: Hour | undefined
  readonly #days = new Map<string, Lists>()
  readonly #visitors = new Map<string, Counts['visitors'][number]>()
  readonly #room: TallySettings

  constructor(room: TallySettings = defaults) {
    this.#room = { ...room }
  }

  get isEmpty(): boolean {
    return this.#hours.size + this.#days.size + this.#visitors.size === 0
  }

  /** The number of counted requests. */
  get requests(): number {
    return [...this.#hours.values()].reduce((sum, { row }) => sum + row.requests, 0)
  }

  hour(project_id: string, hour: number): Hour {
    const last = this.#last
    if (last !== undefined && last.row.project_id === project_id && last.row.hour === hour) return last
    const key = `${project_id} ${hour}`
    const found = this.#hours.get(key) ?? this.#newHour(project_id, hour)
    this.#hours.set(key, found)
    this.#last = found
    return found
  }

  #newHour(project_id: string, hour: number): Hour {
    const row = emptyHour(project_id, hour)
    // The lists of this hour are marked as incomplete.
    const onFull = (requests: number) => {
      row.lost += requests
    }
    return { row, lists: new Lists({ project_id, since: hour }, this.#room, undefined, onFull) }
  }

  day(project_id: string, day: number): Lists {
    const key = `${project_id} ${day}`
    let found = this.#days.get(key)
    if (found === undefined) {
      found = new Lists({ project_id, since: day }, this.#room, this.#room.namesOfDay)
      this.#days.set(key, found)
    }
    return found
  }

  addVisitor(visitor: Counts['visitors'][number]): void {
    const { project_id, day, hour, hash } = visitor
    if (this.#visitors.size < this.#room.visitors) this.#visitors.set(`${project_id} ${day} ${hash}`, visitor)
    else this.hour(project_id, hour).row.lost++
  }

  /** Adds counts that could not be written to the newer ones. */
  addBack({ hours, names, visitors }: Counts): void {
    for (const { project_id, hour, ...counts } of hours) {
      const { row } = this.hour(project_id, hour)
      for (const [column, count] of Object.entries(counts)) row[column as keyof typeof counts] += count
    }
    for (const { project_id, kind, since, name, requests, bytes } of names) {
      const lists = kind.startsWith('view ')
        ? this.day(project_id, since)
        : this.hour(project_id, since).lists
      lists.add(kind, name, requests, bytes)
    }
    for (const visitor of visitors) this.addVisitor(visitor)
  }

  /** Returns the most frequent names of each list. */
  rows(atMost: (list: NameList) => number = () => Number.POSITIVE_INFINITY): Counts {
    const hours = [...this.#hours.values()]
    const lists = [...hours.map(hour => hour.lists), ...this.#days.values()]
    return {
      hours: hours.map(({ row }) => row),
      names: lists.flatMap(list => list.rows(atMost)),
      visitors: [...this.#visitors.values()],
    }
  }
}

const mostOf = (rows: StatsNameRow[], atMost: number): StatsNameRow[] =>
  rows.length <= atMost ? rows : rows.sort((a, b) => b.requests - a.requests).slice(0, atMost)
