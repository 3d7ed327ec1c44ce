// Counts that wait to be written: per project and hour, with the names that top lists show.
import { type Counts, emptyHour } from '../../store/stats/intake.ts'
import type { StatsHourRow, StatsNameRow } from '../../store/tables.ts'

type Kind = StatsNameRow['kind']

/** Names that one writing may bring for one list: of a thousand addresses that were tried out once, most are noise. */
const namesAtOnce = 100

export class Tally {
  readonly #hours = new Map<string, StatsHourRow>()
  readonly #lists = new Map<string, Map<string, StatsNameRow>>()
  readonly #visitors = new Map<string, Counts['visitors'][number]>()

  get isEmpty(): boolean {
    return this.#hours.size === 0
  }

  hour(projectId: string, hour: number): StatsHourRow {
    const key = `${projectId} ${hour}`
    let row = this.#hours.get(key)
    if (row === undefined) {
      row = emptyHour(projectId, hour)
      this.#hours.set(key, row)
    }
    return row
  }

  /** `since` is the start of the hour or day that the list is of. */
  addName(project_id: string, kind: Kind, since: number, name: string, requests: number, bytes = 0): void {
    const key = `${project_id} ${kind} ${since}`
    let list = this.#lists.get(key)
    if (list === undefined) {
      list = new Map()
      this.#lists.set(key, list)
    }
    const row = list.get(name)
    if (row === undefined) list.set(name, { project_id, kind, since, name, requests, bytes })
    else {
      row.requests += requests
      row.bytes += bytes
    }
  }

  addVisitor(visitor: Counts['visitors'][number]): void {
    this.#visitors.set(`${visitor.project_id} ${visitor.day} ${visitor.hash}`, visitor)
  }

  rows(): Counts {
    return {
      hours: sorted(this.#hours),
      names: sorted(this.#lists).flatMap(list => sorted(mostOf(list))),
      visitors: sorted(this.#visitors),
    }
  }
}

const sorted = <V>(map: Map<string, V>): V[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)

function mostOf(list: Map<string, StatsNameRow>): Map<string, StatsNameRow> {
  if (list.size <= namesAtOnce) return list
  return new Map([...list].sort(([, a], [, b]) => b.requests - a.requests).slice(0, namesAtOnce))
}
