// The files of a deployment: hot ones from memory, the others from its packs. Chooses what answers a request; the edge
// acts on the choice.
import { variantsId } from '../core/deployments/archive/variants.ts'
import { readSiteRules, type SiteRules } from '../core/deployments/rules/site-rules.ts'
import type { RequestedUrl } from '../core/deployments/rules/source.ts'
import type { Clock } from '../lib/clock.ts'
import type { PackReader } from '../ports/packs/pack-reader.ts'
import { type ChosenFile, choose, chooseAsset, type DeploymentPacks, isForApp } from './choose.ts'
import type { Preference } from './encodings.ts'
import type { Exchange } from './exchange.ts'
import { guardsOf, type PathPasswords } from './gate/path-passwords.ts'
import type { HotFile, HotFiles } from './hot-files.ts'
import { readNegotiation } from './negotiation.ts'
import type { Lease, OpenPacks } from './open-packs.ts'
import { type PageName, sendPage } from './pages.ts'
import { type Representation, represent } from './representation.ts'
import { respond } from './respond.ts'
import type { Route } from './route.ts'
import type { Target } from './targets.ts'

/** What answers a request. */
export type Choice =
  | { to: 'file'; send(): Promise<void> }
  | { to: 'redirect'; status: number; location: string; route: Route }
  | { to: 'page'; page: PageName }
  | { to: 'app'; route: Route }
  /** Somebody was asked for a password, and that is the answer. */
  | { to: 'refused' }

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
    this.#checkForVariants(route)
    return this.#hot.get(route.key(preference, pathOf(url), host))
  }

  /** Sends the file from memory, if it is there. */
  sendHot(exchange: Exchange, route: Route): boolean {
    const { preference, conditional } = readNegotiation(exchange.req.rawHeaders)
    const hot = this.hot(route, preference, exchange.url, () => exchange.hostname)
    if (hot === undefined) return false
    if (conditional) void respond(exchange, hot.representation, hot.body, 'HIT')
    else exchange.answer(200, hot.headers, hot.body)
    return true
  }

  /** Whether it is known without waiting that the app answers this GET or HEAD: most requests to apps. */
  isForApp({ target, hostname }: Exchange, { deployment, isOpen, redirects, variantCheck }: Route): boolean {
    if (deployment.kind !== 'server' || !isOpen || variantCheck) return false
    const { id, framework } = deployment
    const files = this.#packs.peek(id)
    return files !== undefined && isForApp(target, hostname, files, { framework, redirects })
  }

  /** Chooses what answers a GET or HEAD, and hands the choice to `use`, for whose time the packs stay open. */
  async choose(
    exchange: Exchange,
    route: Route,
    use: (choice: Choice) => Promise<void> | void,
  ): Promise<void> {
    const variantCheck = this.#checkForVariants(route)
    const leases: Lease[] = []
    try {
      await variantCheck
      const packs = await this.#open(route, leases)
      await use(await this.#choose(exchange, route, packs))
    } finally {
      for (const lease of leases) lease.release()
    }
  }

  /** For requests that no file answers: how the route serves them; undefined if they were refused. */
  async admit(exchange: Exchange, route: Route): Promise<Route | undefined> {
    if (route.isOpen) return route
    const leases: Lease[] = []
    try {
      const rules = await this.#rules(route, await this.#open(route, leases))
      return await this.#checkPasswords(exchange, route, { rules, asked: askedOf(exchange) })
    } finally {
      for (const lease of leases) lease.release()
    }
  }

  /** Variants that were made since are used from the next request on; nobody in a hurry waits for the look. */
  #checkForVariants(route: Route): Promise<void> | undefined {
    if (!route.hasVariants && route.isVariantCheckDue(this.#clock.now()))
      route.variantCheck = this.#findVariants(route).finally(() => {
        route.variantCheck = undefined
      })
    return route.variantCheck
  }

  async #findVariants(route: Route): Promise<void> {
    try {
      const lease = await this.#packs.acquire(variantsId(route.deployment.id))
      if (lease === undefined) return
      lease.release()
      route.variantsFound()
    } catch (error) {
      this.#onError(error)
    }
  }

  async #choose(exchange: Exchange, route: Route, packs: DeploymentPacks): Promise<Choice> {
    const { preference } = readNegotiation(exchange.req.rawHeaders)
    const { kind, framework } = route.deployment
    const rules = await this.#rules(route, packs)
    const asked = askedOf(exchange)
    const redirects = rules?.redirects
    const chosen =
      kind === 'server'
        ? chooseAsset(asked, preference, packs, { framework, redirects })
        : choose(asked, preference, packs, redirects)
    const file = chosen.to === 'file' && kind === 'static' ? chosen.file.path : undefined
    const admitted = await this.#checkPasswords(exchange, route, { rules, asked, file })
    if (admitted === undefined) return { to: 'refused' }
    if (chosen.to === 'app' || chosen.to === 'redirect') return { ...chosen, route: admitted }
    if (chosen.to === 'page') return chosen
    const changes = asked && rules?.headers.match(asked)
    const representation = represent(admitted, chosen, changes)
    const mayCache = mayCacheFile(chosen.status, rules)
    return {
      to: 'file',
      send: () => this.#deliver(exchange, admitted, { chosen, representation, preference, mayCache }),
    }
  }

  #rules(route: Route, packs: DeploymentPacks): Promise<SiteRules | undefined> {
    const { kind, framework } = route.deployment
    return route.rules(() => readSiteRules(packs.files, { isServer: kind === 'server', framework }))
  }

  /** Asks for the passwords that the rules demand. Undefined if the request is answered with that. */
  async #checkPasswords(
    exchange: Exchange,
    route: Route,
    {
      rules,
      asked,
      file,
    }: { rules: SiteRules | undefined; asked: AskedTarget | undefined; file?: string | undefined },
  ): Promise<Route | undefined> {
    if (!rules?.headers.hasGuards) return route
    // An app may read a path that the platform cannot.
    if (asked === undefined) return void sendPage(exchange, 'badRequest')
    const guards = guardsOf(rules.headers, asked, exchange, file)
    if (guards.length === 0) return route
    return (await this.#passwords.admits(exchange, route.projectId, guards))
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

  /** From memory, if it is there by now; else from the pack, and into memory if it may stay there. */
  async #deliver(
    exchange: Exchange,
    route: Route,
    { chosen, representation, preference, mayCache }: Delivery,
  ): Promise<void> {
    const { status, stored, source } = chosen
    const stream = (start: number, end: number) => source.stream(stored, start, end)
    if (!mayCache) return respond(exchange, representation, stream, 'MISS')
    const path = status === 200 ? pathOf(exchange.url) : missingPath
    const key = route.key(preference, path, () => exchange.hostname)
    const hot = this.#hot.get(key)
    if (hot !== undefined) return respond(exchange, hot.representation, hot.body, 'HIT')
    const content = this.#hot.admits(key, stored.size)
      ? await this.#hot.read({ key, projectId: route.projectId, path }, representation, () =>
          source.read(stored),
        )
      : stream
    return respond(exchange, representation, content, 'MISS')
  }
}

interface Delivery {
  chosen: ChosenFile
  representation: Representation
  preference: Preference
  /** In memory, for the next who ask. */
  mayCache: boolean
}

type AskedTarget = Target & RequestedUrl

const askedOf = ({ target, hostname }: Exchange): AskedTarget | undefined =>
  target && { ...target, host: hostname }

/**
 * Memory is not looked up by query: a file is not kept if a rule may look at it. Nor is the page for missing paths if
 * there are rules, since the path makes a difference to its headers.
 */
function mayCacheFile(status: number, rules: SiteRules | undefined): boolean {
  return rules === undefined || (status === 200 && !rules.redirects.looksAtQuery)
}

function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}
