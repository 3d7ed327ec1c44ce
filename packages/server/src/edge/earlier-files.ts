// Finds hashed files that the current deployment of a site lacks and an earlier one has, so that open tabs keep working after
// a deployment. HTML is never among them.
import { assetsAt } from '../core/apps/assets.ts'
import { frameworkOf } from '../core/deployments/frameworks.ts'
import type { EarlierDeployment, SiteDeployment, SiteReader } from '../core/projects/sites.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Clock } from '../lib/clock.ts'
import type { PackReader } from '../ports/packs/pack-reader.ts'
import { isHashedPath } from './freshness.ts'
import type { OpenPacks } from './open-packs.ts'
import { isServed } from './resolve.ts'
import { Route } from './route.ts'

interface Earlier {
  route: Route
  /** When its files stop being reachable. */
  until: number
}

/** The hashed files of all earlier deployments of a route, by URL path. A lookup in it reads nothing. */
interface Index {
  readonly weight: number
  readonly byPath: ReadonlyMap<string, Earlier>
  /** Set if the index could not be read: when to try again. */
  readonly retryAt: number | undefined
}

interface EarlierFilesParts {
  reader: Pick<SiteReader, 'earlier'>
  packs: OpenPacks
  skewMs: number
  clock: Clock
  onError: (error: unknown) => void
}

const MB = 1024 * 1024
const allIndexesBytes = 16 * MB
const oneIndexBytes = MB
/** An estimate of the memory that a path needs besides its characters. */
const overhead = 100
const retryAfterMs = 1_000

export class EarlierFiles {
  readonly #parts: EarlierFilesParts
  /** By the serial of the route. A change of the site makes a new route, so a deleted deployment is never found. */
  readonly #indexes = new BoundedCache<Index>(allIndexesBytes)
  readonly #loads = new Map<string, Promise<Index>>()

  constructor(parts: EarlierFilesParts) {
    this.#parts = parts
  }

  /** Returns false if it is already known that `find` finds nothing. */
  mayHave(route: Route, path: string): boolean {
    if (!this.#isFor(route)) return false
    const index = this.#indexes.get(route.serial)
    if (index === undefined || index.retryAt !== undefined) return isHashedAt(route.deployment, path)
    return this.#lookUp(index, path) !== undefined
  }

  /** Returns the route of the newest earlier deployment that has a hashed file at this URL path. */
  async find(route: Route, path: string): Promise<Route | undefined> {
    if (!this.#isFor(route)) return undefined
    const known = this.#indexes.get(route.serial)
    if (known !== undefined && !this.#isRetryDue(known)) return this.#lookUp(known, path)
    // Only a path that may be found is worth reading the index.
    if (!isHashedAt(route.deployment, path)) return undefined
    return this.#lookUp(await this.#load(route), path)
  }

  #isFor(route: Route): boolean {
    return this.#parts.skewMs > 0 && route.line !== undefined
  }

  #isRetryDue({ retryAt }: Index): boolean {
    return retryAt !== undefined && this.#parts.clock.now() >= retryAt
  }

  #lookUp({ byPath }: Index, path: string): Route | undefined {
    const found = byPath.get(path)
    return found !== undefined && this.#parts.clock.now() < found.until ? found.route : undefined
  }

  /** Requests that need the same index share one read. If it fails, nothing is found for a second. */
  #load(route: Route): Promise<Index> {
    const underWay = this.#loads.get(route.serial)
    if (underWay !== undefined) return underWay
    const load = this.#read(route)
      .catch((error): Index => {
        this.#parts.onError(error)
        return { weight: overhead, byPath: new Map(), retryAt: this.#parts.clock.now() + retryAfterMs }
      })
      .then(index => {
        this.#indexes.set(route.serial, index)
        return index
      })
      .finally(() => this.#loads.delete(route.serial))
    this.#loads.set(route.serial, load)
    return load
  }

  async #read(route: Route): Promise<Index> {
    const { reader, clock, skewMs } = this.#parts
    const { projectId, deployment, line = 'production' } = route
    const byPath = new Map<string, Earlier>()
    let weight = overhead
    for (const earlier of await reader.earlier(projectId, deployment.id, line, clock.now() - skewMs)) {
      const entry = { route: routeOf(earlier, route), until: earlier.supersededAt + skewMs }
      for (const path of await this.#hashedPaths(earlier)) {
        const bytes = 2 * path.length + overhead
        // The newest deployments come first. Of a site with very many files, the oldest are not found.
        if (byPath.has(path) || weight + bytes > oneIndexBytes) continue
        byPath.set(path, entry)
        weight += bytes
      }
    }
    return { weight, byPath, retryAt: undefined }
  }

  async #hashedPaths(earlier: EarlierDeployment): Promise<string[]> {
    const lease = await this.#parts.packs.acquire(earlier.id)
    // The deployment was deleted a moment ago.
    if (lease === undefined) return []
    try {
      return [...hashedPathsOf(lease.reader, earlier)]
    } finally {
      lease.release()
    }
  }
}

/** An earlier deployment is protected and hidden from search engines like the current one. It has no earlier ones itself. */
const routeOf = (earlier: EarlierDeployment, { projectId, noindex, guarded }: Route): Route =>
  new Route(earlier, { projectId, noindex, guarded })

const html = /\.(?:html?|xhtml|xht)$/i

function* hashedPathsOf(files: PackReader, deployment: SiteDeployment): Generator<string> {
  for (const { path: name } of files.files())
    for (const path of urlPathsOf(name, deployment))
      if (isServed(path.slice(1)) && !html.test(path) && isHashedAt(deployment, path)) yield path
}

/** The URL paths at which the edge serves a file. Of a server app, it serves only the public assets of its framework. */
function urlPathsOf(name: string, { kind, framework }: SiteDeployment): string[] {
  if (kind === 'static') return [`/${name}`]
  const rules = frameworkOf(framework)?.assets ?? []
  return rules.flatMap(({ dir, at }) => (name.startsWith(dir) ? [at + name.slice(dir.length)] : []))
}

/** Whether the file at a URL path is sent as `immutable`. */
function isHashedAt({ kind, framework }: SiteDeployment, path: string): boolean {
  if (isHashedPath(path.slice(1))) return true
  return kind === 'server' && assetsAt(framework, path).some(({ immutable }) => immutable)
}
