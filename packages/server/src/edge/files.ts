// Serves the files of a deployment: hot ones from memory, the others from its packs.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { variantsId } from '../core/archive/variants.ts'
import { readSiteRules, type SiteRules } from '../core/rules/site-rules.ts'
import type { Clock } from '../lib/clock.ts'
import type { PackReader } from '../ports/packs/pack-reader.ts'
import { type ChosenFile, choose, chooseAsset, type DeploymentPacks } from './choose.ts'
import type { Preference } from './encodings.ts'
import type { HotFile, HotFiles } from './hot-files.ts'
import type { Lease, OpenPacks } from './open-packs.ts'
import { sendPage, sendRedirect } from './pages.ts'
import { represent } from './representation.ts'
import { respond } from './respond.ts'
import type { Route } from './route.ts'
import { readTarget } from './targets.ts'
import { readWishes } from './wishes.ts'

/** A request on its way to a file. */
interface Exchange {
  req: IncomingMessage
  res: ServerResponse
  route: Route
  preference: Preference
  toApp: () => void
}

/** Where a site's own 404.html is kept; the path of a request begins with a slash. */
const missingPath = '404'

export interface FilesParts {
  hot: HotFiles
  packs: OpenPacks
  clock: Clock
  onError: (error: unknown) => void
}

export class Files {
  readonly #hot: HotFiles
  readonly #packs: OpenPacks
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void

  constructor({ hot, packs, clock, onError }: FilesParts) {
    this.#hot = hot
    this.#packs = packs
    this.#clock = clock
    this.#onError = onError
  }

  /** What memory holds for a target, its query aside. */
  hot(route: Route, preference: Preference, url: string): HotFile | undefined {
    this.#lookWhenDue(route)
    return this.#hot.get(route.key(preference, pathOf(url)))
  }

  /** What is no file of a server's is for its app. */
  serve(req: IncomingMessage, res: ServerResponse, route: Route, toApp: () => void = () => undefined) {
    const look = this.#lookWhenDue(route)
    const { preference, conditional } = readWishes(req.rawHeaders)
    const hot = this.hot(route, preference, req.url!)
    if (hot === undefined) return void this.#serveCold({ req, res, route, preference, toApp }, look)
    if (conditional) return void respond(req, res, hot.representation, hot.body, 'HIT')
    res.writeHead(200, hot.headers)
    res.end(hot.body)
  }

  /** Variants that were made since are used from the next request on; nobody in a hurry waits for the look. */
  #lookWhenDue(route: Route): Promise<void> | undefined {
    return !route.hasVariants && route.isLookDue(this.#clock.now()) ? this.#look(route) : undefined
  }

  async #look(route: Route): Promise<void> {
    try {
      const lease = await this.#packs.acquire(variantsId(route.deployment.id))
      if (lease === undefined) return
      lease.release()
      route.variantsFound()
    } catch (error) {
      this.#onError(error)
    }
  }

  async #serveCold(exchange: Exchange, look: Promise<void> | undefined): Promise<void> {
    const { req, res, route, preference, toApp } = exchange
    const leases: Lease[] = []
    try {
      await look
      const packs = await this.#open(route, leases)
      const isServer = route.deployment.kind === 'server'
      const { framework } = route.deployment
      const rules = await route.rules(() => readSiteRules(packs.files, { isServer, framework }))
      const redirects = rules?.redirects
      const chosen = isServer
        ? chooseAsset(req.url!, preference, packs, { framework, redirects })
        : choose(req.url!, preference, packs, redirects)
      if (chosen.to === 'app') toApp()
      else if (chosen.to === 'page') sendPage(req, res, chosen.page)
      else if (chosen.to === 'redirect') sendRedirect(res, chosen, route)
      else await this.#deliver(exchange, chosen, rules)
    } catch (error) {
      this.#onError(error)
      if (res.headersSent) res.destroy()
      else sendPage(req, res, 'unavailable')
    } finally {
      for (const lease of leases) lease.release()
    }
  }

  async #open(route: Route, leases: Lease[]): Promise<DeploymentPacks> {
    const open = async (id: string): Promise<PackReader | undefined> => {
      const lease = await this.#packs.acquire(id)
      if (lease !== undefined) leases.push(lease)
      return lease?.reader
    }
    const { id } = route.deployment
    const files = await open(id)
    if (files === undefined) throw new Error(`The files of ${id} are missing from the storage.`)
    return { files, variants: route.hasVariants ? await open(variantsId(id)) : undefined }
  }

  async #deliver(exchange: Exchange, chosen: ChosenFile, rules: SiteRules | undefined): Promise<void> {
    const { req, res, route, preference } = exchange
    const { status, stored, source } = chosen
    const representation = represent(route, chosen, rules?.headers.match(readTarget(req.url!)?.path ?? '/'))
    const stream = (start: number, end: number) => source.stream(stored, start, end)
    if (!mayKeep(status, rules)) return respond(req, res, representation, stream, 'MISS')
    const key = route.key(preference, status === 200 ? pathOf(req.url!) : missingPath)
    const hot = this.#hot.get(key)
    if (hot !== undefined) return respond(req, res, hot.representation, hot.body, 'HIT')
    const content = this.#hot.admits(key, stored.size)
      ? await this.#hot.read(key, representation, () => source.read(stored))
      : stream
    return respond(req, res, representation, content, 'MISS')
  }
}

/**
 * What memory holds is found by path alone: not by a query that a rule may look at, nor, for the page of all that is
 * missing, by the path that header rules go by.
 */
function mayKeep(status: number, rules: SiteRules | undefined): boolean {
  return rules === undefined || (!rules.redirects.showByQuery && status === 200)
}

function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}
