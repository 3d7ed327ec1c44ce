// Finds the site of a destination. Sites and custom domains are cached. A change drops its entry: the site may have got a password.
// Entries of which nobody knows whether they changed are used while the database does not answer.

import type { Guard } from '../core/access/guard.ts'
import { labelOf, type SiteTarget } from '../core/base/labels.ts'
import type { DomainRedirect, MovedSite, Site, SiteReader, SiteSuspension } from '../core/projects/sites.ts'
import type { Clock } from '../lib/clock.ts'
import type { Changes } from '../ports/changes/port.ts'
import type { SiteDestination } from './hosts.ts'
import { ReadThroughCache } from './read-through-cache.ts'
import { Route } from './route.ts'

export type Found = Open | Guarded | Suspended

/** What a visitor with access gets: a live deployment, a site without a deployment, or no site. */
export type Open =
  | { state: 'live'; projectId: string; route: Route }
  | { state: 'empty'; projectId: string }
  | Moved
  | { state: 'unknown' }

/** The site is at another host. */
interface Moved {
  state: 'moved'
  projectId: string
  /** The new host without its port, or the new label below the domain of the platform. */
  to: { host: string } | { label: string }
}

/** A protected site. `behind` is what a visitor gets who passes the guard. */
export interface Guarded {
  state: 'guarded'
  projectId: string
  guard: Guard
  behind: Open
}

/** The operator has suspended the site. Nobody gets anything else, on none of its hosts. */
interface Suspended extends SiteSuspension {
  state: 'suspended'
  projectId: string
}

/** A site, and those of its previews that were requested since the site was read. */
interface Entry {
  site: Site | undefined
  /** Set if the project was renamed, and this is its former name. */
  moved: MovedSite | undefined
  /** When the entry ends: a temporary share, or the redirect of a former name. */
  expiresAt: number | undefined
  production: Found
  previews: Map<string, Found>
  previewLoads: Map<string, Promise<Found>>
}

interface DomainEntry {
  /** The site of the custom domain. `undefined` if the domain is not attached to a site, or redirects. */
  target: SiteTarget | undefined
  /** The answer for a domain without a site of its own. */
  otherwise: Open
}

const unknown: Open = { state: 'unknown' }
const maxPreviews = 100

interface SitesOptions {
  /** How many sites, and how many domains, are in memory. */
  atMost: number
  /** Reads the copies on the disk, which are used while the database does not answer. */
  kept?: SiteReader | undefined
}

export class Sites {
  readonly #reader: SiteReader
  readonly #kept: SiteReader | undefined
  readonly #clock: Clock
  readonly #unsubscribe: () => void
  readonly #entries: ReadThroughCache<Entry>
  readonly #domains: ReadThroughCache<DomainEntry>

  constructor(reader: SiteReader, changes: Changes, clock: Clock, { atMost, kept }: SitesOptions) {
    this.#reader = reader
    this.#kept = kept
    this.#clock = clock
    this.#entries = new ReadThroughCache(entryBy(reader), clock, {
      budget: atMost,
      recall: kept && entryBy(kept),
    })
    this.#domains = new ReadThroughCache(domainEntryBy(reader), clock, {
      budget: atMost,
      recall: kept && domainEntryBy(kept),
    })
    this.#unsubscribe = changes.subscribe(change => {
      if (change.topic === 'project') this.#entries.drop(change.key)
      else if (change.topic === 'domain') this.#domains.drop(change.key)
      else if (change.topic === 'everything') {
        this.#entries.dropEverything()
        this.#domains.dropEverything()
      } else if (change.topic === 'unconfirmed') {
        this.#entries.forgetEverything()
        this.#domains.forgetEverything()
      }
    })
  }

  /** Returns the cached result, or `undefined` if `find` must read the database. */
  peek(destination: SiteDestination): Found | undefined {
    if (destination.to === 'site') return this.#peekTarget(destination.target)
    const domain = this.#domains.peek(destination.domain)
    if (domain === undefined) return undefined
    return domain.target === undefined ? domain.otherwise : this.#peekTarget(domain.target)
  }

  async find(destination: SiteDestination): Promise<Found> {
    if (destination.to === 'site') return this.#findTarget(destination.target)
    const domain = await this.#domains.find(destination.domain)
    return domain.target === undefined ? domain.otherwise : this.#findTarget(domain.target)
  }

  async #findTarget(target: SiteTarget): Promise<Found> {
    const entry = await this.#entries.find(target.project)
    if (this.#isOver(entry)) return unknown
    if (target.which === 'production') return entry.production
    return entry.previews.get(previewKey(target)) ?? this.#loadPreview(entry, target)
  }

  /** The names of the projects and domains in memory. */
  get known(): { projects: Iterable<string>; domains: Iterable<string> } {
    return { projects: this.#entries.keys(), domains: this.#domains.keys() }
  }

  close(): void {
    this.#unsubscribe()
  }

  #peekTarget(target: SiteTarget): Found | undefined {
    const entry = this.#entries.peek(target.project)
    if (entry === undefined) return undefined
    if (this.#isOver(entry)) return unknown
    return target.which === 'production' ? entry.production : entry.previews.get(previewKey(target))
  }

  #isOver(entry: Entry): boolean {
    return entry.expiresAt !== undefined && this.#clock.now() >= entry.expiresAt
  }

  /** Reads a preview and keeps it in the entry of its site, so that site and previews become stale together. */
  #loadPreview(entry: Entry, target: SiteTarget): Promise<Found> {
    if (entry.moved !== undefined)
      return Promise.resolve(movedTo(entry.moved, labelOf(target, entry.moved.name)))
    if (entry.site === undefined) return Promise.resolve(unknown)
    const key = previewKey(target)
    const underWay = entry.previewLoads.get(key)
    if (underWay !== undefined) return underWay
    const load = this.#previewOf(entry.site, target)
      .then(found => {
        // Clients can request any preview name, so the number of kept previews is limited.
        if (entry.previews.size >= maxPreviews) entry.previews.clear()
        entry.previews.set(key, found)
        return found
      })
      .finally(() => entry.previewLoads.delete(key))
    entry.previewLoads.set(key, load)
    return load
  }

  async #previewOf(site: Site, target: SiteTarget): Promise<Found> {
    try {
      return await readPreview(this.#reader, site, target)
    } catch (error) {
      if (this.#kept === undefined) throw error
      // Without a copy, the error of the database says what is wrong.
      return await readPreview(this.#kept, site, target).catch(() => Promise.reject(error))
    }
  }
}

const entryBy =
  (reader: SiteReader) =>
  async (project: string): Promise<Entry> => {
    const site = await reader.byName(project)
    const moved = site === undefined ? await reader.byFormerName(project) : undefined
    return {
      site,
      moved,
      expiresAt: site?.expiresAt ?? moved?.until,
      production: moved === undefined ? productionOf(site) : movedTo(moved, moved.name),
      previews: new Map(),
      previewLoads: new Map(),
    }
  }

const domainEntryBy = (reader: SiteReader) => async (name: string) => domainEntry(await reader.byDomain(name))

async function readPreview(reader: SiteReader, site: Site, target: SiteTarget): Promise<Found> {
  if (site.suspension) return suspendedSite(site, site.suspension)
  const deployment =
    target.which === 'deployment' || target.which === 'pinned'
      ? await reader.deployment(site, target.id)
      : target.which === 'branch'
        ? await reader.branch(site, target.slug)
        : undefined
  const line = target.which === 'deployment' ? undefined : ('branch' as const)
  const guard = await withLinks(reader, site, target)
  const kind = { ...kindOf(site, guard), line, noindex: target.which !== 'pinned' }
  const route = deployment && new Route(deployment, kind)
  const { projectId } = site
  return behindGuard(site, guard, route === undefined ? unknown : { state: 'live', projectId, route })
}

async function withLinks(reader: SiteReader, site: Site, target: SiteTarget): Promise<Guard | undefined> {
  const { previewGuard: guard } = site
  const preview = target.which === 'deployment' ? target.id : target.which === 'branch' ? target.slug : ''
  if (guard === undefined || preview === '') return guard
  return { ...guard, links: await reader.previewLinks(site, preview) }
}

const movedTo = ({ projectId }: MovedSite, label: string): Moved => ({
  state: 'moved',
  projectId,
  to: { label },
})

function domainEntry(read: SiteTarget | DomainRedirect | undefined): DomainEntry {
  if (read?.which !== 'redirect') return { target: read, otherwise: unknown }
  return {
    target: undefined,
    otherwise: { state: 'moved', projectId: read.projectId, to: { host: read.domain } },
  }
}

function productionOf(site: Site | undefined): Found {
  if (site === undefined) return unknown
  const { projectId } = site
  if (site.suspension) return suspendedSite(site, site.suspension)
  const { guard } = site
  if (site.active === undefined) return behindGuard(site, guard, { state: 'empty', projectId })
  const kind = { ...kindOf(site, guard), line: 'production' as const, noindex: site.expiresAt !== undefined }
  return behindGuard(site, guard, { state: 'live', projectId, route: new Route(site.active, kind) })
}

const suspendedSite = ({ projectId }: Site, { status, reason }: SiteSuspension): Suspended => ({
  state: 'suspended',
  projectId,
  status,
  reason,
})

const kindOf = ({ projectId }: Site, guard: Guard | undefined) => ({
  projectId,
  guarded: guard !== undefined,
})

function behindGuard({ projectId }: Site, guard: Guard | undefined, behind: Open): Found {
  return guard === undefined ? behind : { state: 'guarded', projectId, guard, behind }
}

function previewKey(target: SiteTarget): string {
  if (target.which === 'branch') return target.slug
  return target.which === 'production' ? '' : `${target.which} ${target.id}`
}
