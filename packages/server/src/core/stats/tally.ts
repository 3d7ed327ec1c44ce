// Counts that wait to be written: per project and hour or day, with the names that top lists show.
import { type Counts, emptyHour } from '../../store/stats/intake.ts'
import type { StatsHourRow, StatsNameRow } from '../../store/tables.ts'

/** Names that one writing may bring for one list: of a thousand addresses that were tried out once, most are noise. */
const namesAtOnce = 100

export type Kind = StatsNameRow['kind']

/** The lists of one project in one hour, or on one day. */
export class Lists {
  readonly projectId: string
  readonly since: number
  readonly #lists = new Map<Kind, Map<string, StatsNameRow>>()

  constructor(projectId: string, since: number) {
    this.projectId = projectId
    this.since = since
  }

  add(kind: Kind, name: string, requests: number, bytes = 0): void {
    let list = this.#lists.get(kind)
    if (list === undefined) {
      list = new Map()
      this.#lists.set(kind, list)
    }
    const row = list.get(name)
    if (row === undefined)
      list.set(name, { project_id: this.projectId, kind, since: this.since, name, requests, bytes })
    else {
      row.requests += requests
      row.bytes += bytes
    }
  }

  rows(): StatsNameRow[] {
    return [...this.#lists.values()].flatMap(list => [...mostOf(list).values()])
  }
}

export class Tally {
  readonly #hours = new Map<string, { row: StatsHourRow; lists: Lists }>()
  readonly #days = new Map<string, Lists>()
  readonly #visitors = new Map<string, Counts['visitors'][number]>()

  get isEmpty(): boolean {
    return this.#hours.size === 0
  }

  hour(projectId: string, hour: number): { row: StatsHourRow; lists: Lists } {
    const key = `${projectId} ${hour}`
    let found = this.#hours.get(key)
    if (found === undefined) {
      found = { row: emptyHour(projectId, hour), lists: new Lists(projectId, hour) }
      this.#hours.set(key, found)
    }
    return found
  }

  day(projectId: string, day: number): Lists {
    const key = `${projectId} ${day}`
    let found = this.#days.get(key)
    if (found === undefined) {
      found = new Lists(projectId, day)
      this.#days.set(key, found)
    }
    return found
  }

  addVisitor(visitor: Counts['visitors'][number]): void {
    this.#visitors.set(`${visitor.project_id} ${visitor.day} ${visitor.hash}`, visitor)
  }

  rows(): Counts {
    const hours = sorted(this.#hours)
    const lists = [...hours.map(hour => hour.lists), ...sorted(this.#days)]
    return {
      hours: hours.map(({ row }) => row),
      names: lists.flatMap(list => list.rows()).sort(byKey),
      visitors: sorted(this.#visitors),
    }
  }
}

/** The order in which every node writes. */
const byKey = (a: StatsNameRow, b: StatsNameRow): number =>
  compare(a.project_id, b.project_id) ||
  compare(a.kind, b.kind) ||
  compare(a.since, b.since) ||
  compare(a.name, b.name)

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

const sorted = <V>(map: Map<string, V>): V[] =>
  [...map].sort(([a], [b]) => compare(a, b)).map(([, value]) => value)

function mostOf(list: Map<string, StatsNameRow>): Map<string, StatsNameRow> {
  if (list.size <= namesAtOnce) return list
  return new Map([...list].sort(([, a], [, b]) => b.requests - a.requests).slice(0, namesAtOnce))
}
