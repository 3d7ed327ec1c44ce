// Chooses what answers a request to a deployment, and sends its files: hot files from memory, other files from its packs.
// `edge.ts` sends all other answers.
import { variantsId } from '../core/deployments/archive/variants.ts'
import { readSiteRules, type SiteRules } from '../core/deployments/rules/site-rules.ts'
import type { RequestedUrl } from '../core/deployments/rules/source.ts'
import type { Clock } from '../lib/clock.ts'
import { detached } from '../lib/detached.ts'
import type { PackReader } from '../ports/packs/pack-reader.ts'
import {
  type Answer,
  type ChosenFile,
  type ChosenRedirect,
  chooseAnswer,
  type DeploymentPacks,
  isForApp,
  mayComeFromEarlier,
} from './choose.ts'
import type { EarlierFiles } from './earlier-files.ts'
import type { Preference } from './encodings.ts'
import type { Exchange } from './exchange.ts'
import { FileSender, mayCacheFile, pathOf } from './file-sender.ts'
import { guardsOf, type PathPasswords } from './gate/path-passwords.ts'
import type { HotFile, HotFiles, StoredFile } from './hot-files.ts'
import { readNegotiation } from './negotiation.ts'
import type { OpenPackHandle, OpenPacks } from './open-packs.ts'
import { type PageName, sendPage } from './pages.ts'
import { represent } from './representation.ts'
import { respond } from './respond.ts'
import type { Route } from './route.ts'
import type { Target } from './targets.ts'

/** What answers a request. */
export type Choice =
  | { to: 'file'; send(): Promise<void> }
  | (ChosenRedirect & { route: Route })
  | { to: 'page'; page: PageName }
  | { to: 'app'; route: Route }
  /** The request has already been answered: a password is missing or wrong, or the path is not valid. */
  | { to: 'refused' }

interface FilesParts {
  hot: HotFiles
  packs: OpenPacks
  earlier: EarlierFiles
  passwords: PathPasswords
  clock: Clock
  onError: (error: unknown) => void
}

export class Files {
  readonly #hot: HotFiles
  readonly #sender: FileSender
  readonly #packs: OpenPacks
  readonly #earlier: EarlierFiles
  readonly #passwords: PathPasswords
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void

  constructor({ hot, packs, earlier, passwords, clock, onError }: FilesParts) {
    this.#hot = hot
    this.#sender = new FileSender(hot)
    this.#packs = packs
    this.#earlier = earlier
    this.#passwords = passwords
    this.#clock = clock
    this.#onError = onError
  }

  /** Returns the file for a URL if it is in memory. Ignores the query. `host` is called only if the key contains it. */
  findHot(route: Route, preference: Preference, url: string, host: () => string): HotFile | undefined {
    this.#checkForVariants(route)
    return this.#hot.get(route.key(preference, pathOf(url), host))
  }

  /** The same for a file that was sent before, and is too large for the memory. */
  findStored(route: Route, preference: Preference, url: string, host: () => string): StoredFile | undefined {
    this.#checkForVariants(route)
    return this.#hot.getStored(route.key(preference, pathOf(url), host))
  }

  /** Sends the requested file if it is in memory. Otherwise sends nothing and returns false. */
  sendHot(exchange: Exchange, route: Route): boolean {
    const { preference, conditional } = readNegotiation(exchange.req.rawHeaders)
    const hot = this.findHot(route, preference, exchange.url, () => exchange.hostname)
    if (hot === undefined) return false
    if (conditional) void respond(exchange, hot.representation, hot.body, 'HIT')
    else exchange.answer(200, hot.headers, hot.body)
    return true
  }

  /** Returns true if it is already known that the app answers this GET or HEAD. Otherwise `choose` must decide. */
  isForApp(target: Target | undefined, host: () => string, route: Route): boolean {
    const { deployment, hasNoPathPasswords, redirects, variantCheck } = route
    if (deployment.kind !== 'server' || !hasNoPathPasswords || variantCheck) return false
    const { id, framework } = deployment
    const files = this.#packs.peek(id)
    if (files === undefined || !isForApp(target, host, files, { framework, redirects })) return false
    return target === undefined || !this.#earlier.mayHave(route, target.path)
  }

  /** Chooses what answers a GET or HEAD and passes it to `use`. The packs stay open until `use` is done. */
  async choose(
    exchange: Exchange,
    route: Route,
    use: (choice: Choice) => Promise<void> | void,
  ): Promise<void> {
    const variantCheck = this.#checkForVariants(route)
    const leases: OpenPackHandle[] = []
    try {
      await variantCheck
      const packs = await this.#open(route, leases)
      await use(await this.#choose(exchange, route, packs, leases))
    } finally {
      for (const lease of leases) lease.release()
    }
  }

  /**
   * Checks the path passwords of a request for a form or an app. Returns `route`, or `route.behindPassword` if a password was
   * needed and given. Returns `undefined` if the request was answered here.
   */
  async admit(exchange: Exchange, route: Route): Promise<Route | undefined> {
    if (route.hasNoPathPasswords) return route
    const leases: OpenPackHandle[] = []
    try {
      const rules = await this.#rules(route, await this.#open(route, leases))
      return await this.#checkPasswords(exchange, route, { rules, asked: requestedTargetOf(exchange) })
    } finally {
      for (const lease of leases) lease.release()
    }
  }

  /** Starts a check whether the compressed variants exist, if one is due. Returns the check that is under way, if any. */
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

  async #choose(
    exchange: Exchange,
    route: Route,
    packs: DeploymentPacks,
    leases: OpenPackHandle[],
  ): Promise<Choice> {
    const { preference } = readNegotiation(exchange.req.rawHeaders)
    const rules = await this.#rules(route, packs)
    const asked = requestedTargetOf(exchange)
    const chosen = chooseAnswer(route.deployment, asked, preference, packs, rules?.redirects)
    const admitted = await this.#checkPasswords(exchange, route, { rules, asked, chosen })
    if (admitted === undefined) return { to: 'refused' }
    if (asked !== undefined && mayComeFromEarlier(chosen)) {
      const earlier = await this.#earlier.find(route, asked.path)
      const isPrivate = admitted !== route
      const choice = earlier && (await this.#chooseEarlier(exchange, earlier, { asked, isPrivate, leases }))
      if (choice !== undefined) return choice
    }
    if (chosen.to === 'app' || chosen.to === 'redirect') return { ...chosen, route: admitted }
    if (chosen.to === 'page') return chosen
    const changes = asked && rules?.headers.match(asked)
    const mayCache = mayCacheFile(chosen.status, rules)
    const open = this.#opener(route, packs, chosen)
    return {
      to: 'file',
      send: () => this.#sender.send(exchange, admitted, { chosen, changes, preference, mayCache, open }),
    }
  }

  /**
   * Chooses the file of an earlier deployment, with the rules and passwords of that deployment. Returns `undefined` if it
   * would answer with anything else, or with HTML.
   */
  async #chooseEarlier(
    exchange: Exchange,
    route: Route,
    { asked, isPrivate, leases }: { asked: RequestedTarget; isPrivate: boolean; leases: OpenPackHandle[] },
  ): Promise<Choice | undefined> {
    const { preference } = readNegotiation(exchange.req.rawHeaders)
    await this.#checkForVariants(route)
    const packs = await this.#openIfStored(route, leases)
    // The deployment was deleted a moment ago.
    if (packs === undefined) return undefined
    const rules = await this.#rules(route, packs)
    const chosen = chooseAnswer(route.deployment, asked, preference, packs, rules?.redirects)
    if (chosen.to !== 'file' || chosen.status !== 200 || chosen.isFallback) return undefined
    const changes = rules?.headers.match(asked)
    if (represent(route, chosen, changes).html) return undefined
    const admitted = await this.#checkPasswords(exchange, route, { rules, asked, chosen })
    if (admitted === undefined) return { to: 'refused' }
    exchange.deploymentId = route.deployment.id
    const sent = isPrivate ? route.behindPassword : admitted
    const mayCache = mayCacheFile(chosen.status, rules)
    const open = this.#opener(route, packs, chosen)
    return {
      to: 'file',
      send: () => this.#sender.send(exchange, sent, { chosen, changes, preference, mayCache, open }),
    }
  }

  /** Returns a function that reads the file once more, when the packs of this request may be closed. */
  #opener(route: Route, { files }: DeploymentPacks, { source, stored }: ChosenFile): StoredFile['open'] {
    const { id } = route.deployment
    const packId = source === files ? id : variantsId(id)
    const file = { ...stored, path: detached(stored.path) }
    return async () => {
      const lease = await this.#packs.acquire(packId)
      return lease?.reader.stream(file).once('close', lease.release)
    }
  }

  #rules(route: Route, packs: DeploymentPacks): Promise<SiteRules | undefined> {
    const { kind, framework } = route.deployment
    return route.rules(() => readSiteRules(packs.files, { isServer: kind === 'server', framework }))
  }

  /**
   * Checks the passwords that the rules demand. Returns `route`, or `route.behindPassword` if a password was needed and given.
   * Returns `undefined` if the request was answered here.
   */
  async #checkPasswords(
    exchange: Exchange,
    route: Route,
    {
      rules,
      asked,
      chosen,
    }: { rules: SiteRules | undefined; asked: RequestedTarget | undefined; chosen?: Answer },
  ): Promise<Route | undefined> {
    if (!rules?.headers.hasGuards) return route
    // The path is not valid, so no rule can protect it. An app might still serve it.
    if (asked === undefined) return void sendPage(exchange, 'badRequest')
    const file = chosen?.to === 'file' && route.deployment.kind === 'static' ? chosen.file.path : undefined
    const guards = guardsOf(rules.headers, asked, exchange, file)
    if (guards.length === 0) return route
    return (await this.#passwords.admits(exchange, route.projectId, guards))
      ? route.behindPassword
      : undefined
  }

  async #open(route: Route, leases: OpenPackHandle[]): Promise<DeploymentPacks> {
    const packs = await this.#openIfStored(route, leases)
    if (packs === undefined)
      throw new Error(`The files of ${route.deployment.id} are missing from the storage.`)
    return packs
  }

  async #openIfStored(route: Route, leases: OpenPackHandle[]): Promise<DeploymentPacks | undefined> {
    const open = async (id: string): Promise<PackReader | undefined> => {
      const lease = await this.#packs.acquire(id)
      if (lease !== undefined) leases.push(lease)
      return lease?.reader
    }
    const { id } = route.deployment
    const files = await open(id)
    return files && { files, variants: route.hasVariants ? await open(variantsId(id)) : undefined }
  }
}

type RequestedTarget = Target & RequestedUrl

const requestedTargetOf = ({ target, hostname }: Exchange): RequestedTarget | undefined =>
  target && { ...target, host: hostname }
