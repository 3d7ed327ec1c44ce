// Serves the files of a deployment: hot ones from memory, the others from its packs.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { variantsId } from '../core/archive/variants.ts'
import { readSiteRules, type SiteRules } from '../core/rules/site-rules.ts'
import type { Asked } from '../core/rules/source.ts'
import type { Clock } from '../lib/clock.ts'
import type { PackReader } from '../ports/packs/pack-reader.ts'
import { type ChosenFile, choose, chooseAsset, type DeploymentPacks, isForApp } from './choose.ts'
import type { Preference } from './encodings.ts'
import { guardsOf, type PathPasswords } from './gate/path-passwords.ts'
import { requestedName } from './hosts.ts'
import type { HotFile, HotFiles } from './hot-files.ts'
import type { Lease, OpenPacks } from './open-packs.ts'
import { sendPage, sendRedirect } from './pages.ts'
import { represent } from './representation.ts'
import { respond } from './respond.ts'
import type { Route } from './route.ts'
import { readTarget, type Target } from './targets.ts'
import { readWishes } from './wishes.ts'

/** A request on its way to a file. */
interface Exchange {
  req: IncomingMessage
  res: ServerResponse
  route: Route
  preference: Preference
  toApp: ToApp
}

/** Passes the request on to the app. The route says whether the answer may be stored. */
type ToApp = (route: Route) => void

/** Where a site's own 404.html is kept; the path of a request begins with a slash. */
const missingPath = '404'

export interface FilesParts {
  hot: HotFiles
  packs: OpenPacks
  passwords: PathPasswords
  clock: Clock
  onError: (error: unknown) => void
}

export class Files {
  readonly #hot: HotFiles
  readonly #packs: OpenPacks
  readonly #passwords: PathPasswords
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void

  constructor({ hot, packs, passwords, clock, onError }: FilesParts) {
    this.#hot = hot
    this.#packs = packs
    this.#passwords = passwords
    this.#clock = clock
    this.#onError = onError
  }

  /** What memory holds for a target, its query aside. */
  hot(route: Route, preference: Preference, url: string, host: () => string): HotFile | undefined {
    this.#lookWhenDue(route)
    return this.#hot.get(route.key(preference, pathOf(url), host))
  }

  /** What is no file of a server's is for its app. */
  serve(req: IncomingMessage, res: ServerResponse, route: Route, toApp: ToApp = () => undefined) {
    const look = this.#lookWhenDue(route)
    const { preference, conditional } = readWishes(req.rawHeaders)
    const hot = this.hot(route, preference, req.url!, () => requestedName(req))
    if (hot === undefined) {
      if (look === undefined && this.#isForApp(req, route)) return toApp(route)
      return void this.#serveCold({ req, res, route, preference, toApp }, look)
    }
    if (conditional) return void respond(req, res, hot.representation, hot.body, 'HIT')
    res.writeHead(200, hot.headers)
    res.end(hot.body)
  }

  /** Whether it is known without waiting that the app answers this request: most requests to apps. */
  #isForApp(req: IncomingMessage, { deployment, isOpen, redirects }: Route): boolean {
    if (deployment.kind !== 'server' || !isOpen) return false
    const { id, framework } = deployment
    const files = this.#packs.peek(id)
    if (files === undefined) return false
    return isForApp(readTarget(req.url!), () => requestedName(req), files, { framework, redirects })
  }

  /** For requests that no file answers: how the route serves them; undefined if they were refused. */
  async admit(req: IncomingMessage, res: ServerResponse, route: Route): Promise<Route | undefined> {
    if (route.isOpen) return route
    const leases: Lease[] = []
    try {
      const rules = await this.#rules(route, await this.#open(route, leases))
      return await this.#pass(req, res, route, { rules, asked: askedOf(req) })
    } finally {
      for (const lease of leases) lease.release()
    }
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
    const { req, res, preference, toApp } = exchange
    const leases: Lease[] = []
    try {
      await look
      const packs = await this.#open(exchange.route, leases)
      const rules = await this.#rules(exchange.route, packs)
      const { kind, framework } = exchange.route.deployment
      const asked = askedOf(req)
      const redirects = rules?.redirects
      const chosen =
        kind === 'server'
          ? chooseAsset(asked, preference, packs, { framework, redirects })
          : choose(asked, preference, packs, redirects)
      const file = chosen.to === 'file' && kind === 'static' ? chosen.file.path : undefined
      const route = await this.#pass(req, res, exchange.route, { rules, asked, file })
      if (route === undefined) return
      if (chosen.to === 'app') toApp(route)
      else if (chosen.to === 'page') sendPage(req, res, chosen.page)
      else if (chosen.to === 'redirect') sendRedirect(res, chosen, route)
      else await this.#deliver({ ...exchange, route }, chosen, rules, asked)
    } catch (error) {
      this.#onError(error)
      if (res.headersSent) res.destroy()
      else sendPage(req, res, 'unavailable')
    } finally {
      for (const lease of leases) lease.release()
    }
  }

  #rules(route: Route, packs: DeploymentPacks): Promise<SiteRules | undefined> {
    const { kind, framework } = route.deployment
    return route.rules(() => readSiteRules(packs.files, { isServer: kind === 'server', framework }))
  }

  /** Asks for the passwords that the rules demand. Undefined if the request is answered with that. */
  async #pass(
    req: IncomingMessage,
    res: ServerResponse,
    route: Route,
    {
      rules,
      asked,
      file,
    }: { rules: SiteRules | undefined; asked: AskedTarget | undefined; file?: string | undefined },
  ): Promise<Route | undefined> {
    if (!rules?.headers.hasGuards) return route
    // An app may read a path that the platform cannot.
    if (asked === undefined) return void sendPage(req, res, 'badRequest')
    const guards = guardsOf(rules.headers, asked, req, file)
    if (guards.length === 0) return route
    return (await this.#passwords.admits(req, res, route.projectId, guards))
      ? route.behindPassword
      : undefined
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

  async #deliver(
    { req, res, route, preference }: Exchange,
    chosen: ChosenFile,
    rules: SiteRules | undefined,
    asked: AskedTarget | undefined,
  ): Promise<void> {
    const { status, stored, source } = chosen
    const representation = represent(route, chosen, asked && rules?.headers.match(asked))
    const stream = (start: number, end: number) => source.stream(stored, start, end)
    if (!mayKeep(status, rules)) return respond(req, res, representation, stream, 'MISS')
    const path = status === 200 ? pathOf(req.url!) : missingPath
    const key = route.key(preference, path, () => requestedName(req))
    const hot = this.#hot.get(key)
    if (hot !== undefined) return respond(req, res, hot.representation, hot.body, 'HIT')
    const content = this.#hot.admits(key, stored.size)
      ? await this.#hot.read(key, representation, () => source.read(stored))
      : stream
    return respond(req, res, representation, content, 'MISS')
  }
}

type AskedTarget = Target & Asked

function askedOf(req: IncomingMessage): AskedTarget | undefined {
  const target = readTarget(req.url!)
  return target && { ...target, host: requestedName(req) }
}

/**
 * Memory is not looked up by query: a file is not kept if a rule may look at it. Nor is the page for missing paths if
 * there are rules, since the path makes a difference to its headers.
 */
function mayKeep(status: number, rules: SiteRules | undefined): boolean {
  return rules === undefined || (status === 200 && !rules.redirects.looksAtQuery)
}

function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}
