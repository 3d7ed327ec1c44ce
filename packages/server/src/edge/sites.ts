// What the edge knows of sites: read once, told by changes what to forget, and kept while the database is away.
import type { SiteTarget } from '../core/addresses.ts'
import type { Guard, Site, SiteReader } from '../core/sites.ts'
import type { Clock } from '../lib/clock.ts'
import { Generations } from '../lib/generations.ts'
import type { Changes } from '../ports/changes/port.ts'
import type { SiteDestination } from './hosts.ts'
import { Route } from './route.ts'

export type Found = Open | Guarded

/** What anyone may see. */
export type Open =
  | { state: 'live'; route: Route }
  | { state: 'empty'; project: string }
  | { state: 'unknown' }

/** What is there, or not, for those whom the guard lets in. */
export interface Guarded {
  state: 'guarded'
  guard: Guard
  behind: Open
}

/** A site as it was read, with the previews that were asked for since. */
interface Entry {
  readonly weight: 1
  site: Site | undefined
  production: Found
  previews: Map<string, Found>
  previewLoads: Map<string, Promise<Found>>
  /** A change came since; still good for when the database does not answer. */
  stale: boolean
  /** After a failed read the stale entry is served until then, so that visitors do not wait for a dead database. */
  retryAt: number
}

const unknown: Open = { state: 'unknown' }
const maxSites = 10_000
const maxPreviews = 100
const retryAfter = 1_000

export class Sites {
  readonly #reader: SiteReader
  readonly #clock: Clock
  readonly #unsubscribe: () => void
  readonly #entries = new Generations<Entry>(maxSites)
  readonly #loads = new Map<string, Promise<Entry>>()

  constructor(reader: SiteReader, changes: Changes, clock: Clock) {
    this.#reader = reader
    this.#clock = clock
    this.#unsubscribe = changes.subscribe(change => {
      if (change.topic === 'everything') this.#forgetEverything()
      else this.#forget(change.key)
    })
  }

  /** What is known already; undefined where `find` must ask the database. */
  peek(destination: SiteDestination): Found | undefined {
    const { target } = destination
    const entry = this.#entries.get(target.project)
    if (entry === undefined || (entry.stale && this.#clock.now() >= entry.retryAt)) return undefined
    if (this.#isOver(entry)) return unknown
    return target.which === 'production' ? entry.production : entry.previews.get(previewKey(target))
  }

  async find(destination: SiteDestination): Promise<Found> {
    const { target } = destination
    const entry = await this.#entry(target.project)
    if (this.#isOver(entry)) return unknown
    if (target.which === 'production') return entry.production
    return entry.previews.get(previewKey(target)) ?? this.#loadPreview(entry, target)
  }

  close(): void {
    this.#unsubscribe()
  }

  #isOver(entry: Entry): boolean {
    const expiresAt = entry.site?.expiresAt
    return expiresAt !== undefined && this.#clock.now() >= expiresAt
  }

  /** A load under way may have read from before the change: whoever asks from now on must not share it. */
  #forget(project: string): void {
    this.#loads.delete(project)
    const entry = this.#entries.get(project)
    if (entry !== undefined) age(entry)
  }

  #forgetEverything(): void {
    this.#loads.clear()
    for (const entry of this.#entries.values()) age(entry)
  }

  async #entry(project: string): Promise<Entry> {
    const known = this.#entries.get(project)
    if (known !== undefined && !known.stale) return known
    try {
      return await this.#load(project)
    } catch (error) {
      if (known === undefined) throw error
      known.retryAt = this.#clock.now() + retryAfter
      return known
    }
  }

  #load(project: string): Promise<Entry> {
    const underWay = this.#loads.get(project)
    if (underWay !== undefined) return underWay
    const load = this.#read(project).then(
      entry => {
        if (this.#loads.get(project) === load) this.#keep(project, entry)
        return entry
      },
      error => {
        if (this.#loads.get(project) === load) this.#loads.delete(project)
        throw error
      },
    )
    this.#loads.set(project, load)
    return load
  }

  async #read(project: string): Promise<Entry> {
    const site = await this.#reader.byName(project)
    return {
      weight: 1,
      site,
      production: productionOf(site),
      previews: new Map(),
      previewLoads: new Map(),
      stale: false,
      retryAt: 0,
    }
  }

  #keep(project: string, entry: Entry): void {
    this.#loads.delete(project)
    this.#entries.set(project, entry)
  }

  /** Kept under its site's entry, so that whatever makes that stale takes this with it. */
  #loadPreview(entry: Entry, target: SiteTarget): Promise<Found> {
    if (entry.site === undefined) return Promise.resolve(unknown)
    const key = previewKey(target)
    const underWay = entry.previewLoads.get(key)
    if (underWay !== undefined) return underWay
    const load = this.#readPreview(entry.site, target)
      .then(found => {
        // Anyone can ask for any prefix: what is remembered of them begins anew when it is full.
        if (entry.previews.size >= maxPreviews) entry.previews.clear()
        entry.previews.set(key, found)
        return found
      })
      .finally(() => entry.previewLoads.delete(key))
    entry.previewLoads.set(key, load)
    return load
  }

  async #readPreview(site: Site, target: SiteTarget): Promise<Found> {
    const deployment =
      target.which === 'deployment'
        ? await this.#reader.deployment(site.projectId, target.id)
        : target.which === 'branch'
          ? await this.#reader.branch(site.projectId, target.slug)
          : undefined
    const guarded = site.guard !== undefined
    const route = deployment && new Route(deployment, { noindex: true, guarded })
    return behindGuard(site, route === undefined ? unknown : { state: 'live', route })
  }
}

function age(entry: Entry): void {
  entry.stale = true
  entry.retryAt = 0
}

function productionOf(site: Site | undefined): Found {
  if (site === undefined) return unknown
  if (site.active === undefined) return behindGuard(site, { state: 'empty', project: site.name })
  const kind = { noindex: site.expiresAt !== undefined, guarded: site.guard !== undefined }
  return behindGuard(site, { state: 'live', route: new Route(site.active, kind) })
}

function behindGuard({ guard }: Site, behind: Open): Found {
  return guard === undefined ? behind : { state: 'guarded', guard, behind }
}

function previewKey(target: SiteTarget): string {
  return target.which === 'deployment' ? target.id : target.which === 'branch' ? target.slug : ''
}
