// A deployment as it is served at one URL, with what was read about its rules and its compressed variants. The URL decides
// whether search engines may index the site and whether it is protected.
import type { Redirects } from '../core/deployments/rules/redirects.ts'
import type { SiteRules } from '../core/deployments/rules/site-rules.ts'
import type { Line, SiteDeployment } from '../core/projects/sites.ts'
import { AppUrls } from './app-urls.ts'
import { type Preference, preferences } from './encodings.ts'

/** The variants of a small site exist about 50 ms after it went live, or 300 ms if the compressing process has to start. */
const firstCheckMs = 100
const longestCheckMs = 60_000

interface RouteKind {
  projectId: string
  noindex: boolean
  guarded: boolean
  /** What the URL shows. `undefined` for one deployment for ever: it has no earlier ones. */
  line?: Line | undefined
  /** Whether the route is for requests that passed a path password. */
  behindPassword?: boolean
}

let lastSerial = 0

export class Route {
  readonly deployment: SiteDeployment
  readonly projectId: string
  readonly noindex: boolean
  /** Whether the site or the path is protected. Caches must not store the answers of a protected route. */
  readonly guarded: boolean
  readonly line: Line | undefined
  /** Differs from that of every other route of this process. */
  readonly serial: string
  /** When the deployment was created, in milliseconds, rounded down to a second. HTTP dates have whole seconds. */
  readonly modified: number
  readonly appUrls = new AppUrls()
  /** Whether the compressed variants exist. They are made after a deployment goes live, so `files.ts` checks for them. */
  #variants = false
  #nextVariantCheck = 0
  variantCheck: Promise<void> | undefined
  #checkEveryMs = firstCheckMs
  #keys: readonly string[]
  #rules: Promise<SiteRules | undefined> | undefined
  #hasNoPathPasswords = false
  #redirects: Redirects | undefined
  #byHost = false
  readonly #isBehindPassword: boolean
  #behindPassword: Route | undefined

  constructor(deployment: SiteDeployment, { projectId, noindex, guarded, line, behindPassword }: RouteKind) {
    this.deployment = deployment
    this.projectId = projectId
    this.noindex = noindex
    this.guarded = guarded
    this.line = line
    this.serial = String(++lastSerial)
    this.#isBehindPassword = behindPassword === true
    this.modified = Math.floor(deployment.createdAt / 1000) * 1000
    this.#keys = this.#prefixes()
  }

  get hasVariants(): boolean {
    return this.#variants
  }

  /** Returns the deployment's rules. Calls `read` only the first time, or again if the read before failed. */
  rules(read: () => Promise<SiteRules | undefined>): Promise<SiteRules | undefined> {
    this.#rules ??= read().then(
      rules => {
        this.#hasNoPathPasswords = rules?.headers.hasGuards !== true
        this.#redirects = rules?.redirects
        this.#byHost = rules !== undefined && (rules.headers.looksAtHost || rules.redirects.looksAtHost)
        return rules
      },
      error => {
        this.#rules = undefined
        throw error
      },
    )
    return this.#rules
  }

  /** Whether the rules have been read and none of them demands a password. */
  get hasNoPathPasswords(): boolean {
    return this.#hasNoPathPasswords
  }

  /** The deployment's redirects. `undefined` if it has none, or if its rules have not been read yet. */
  get redirects(): Redirects | undefined {
    return this.#redirects
  }

  /**
   * The same route for requests that passed a path password. Caches must not store its answers. Its hot files have keys of
   * their own, which are used only after the password check.
   */
  get behindPassword(): Route {
    const { deployment, projectId, noindex } = this
    this.#behindPassword ??= new Route(deployment, {
      projectId,
      noindex,
      guarded: true,
      behindPassword: true,
    })
    if (this.#variants && !this.#behindPassword.hasVariants) this.#behindPassword.variantsFound()
    this.#behindPassword.#byHost = this.#byHost
    return this.#behindPassword
  }

  /**
   * Returns the key of a hot file. All keys change when the variants are found, so that uncompressed entries are no longer
   * used. `host` is called only if the rules depend on the host.
   */
  key(preference: Preference, path: string, host: () => string): string {
    const key = this.#keys[preference.number] + path
    return this.#byHost ? `${key} ${host()}` : key
  }

  /** Returns true if the caller must check for variants now. The time between checks doubles up to `longestCheckMs`. */
  isVariantCheckDue(now: number): boolean {
    if (this.#variants || now < this.#nextVariantCheck) return false
    this.#nextVariantCheck = now + this.#checkEveryMs
    this.#checkEveryMs = Math.min(longestCheckMs, this.#checkEveryMs * 2)
    return true
  }

  variantsFound(): void {
    this.#variants = true
    this.#keys = this.#prefixes()
  }

  #prefixes(): string[] {
    const isFor = `${this.noindex ? '~' : ''}${this.guarded ? '!' : ''}${this.#isBehindPassword ? '*' : ''}`
    const kind = `${isFor}${this.#variants ? '+' : ''}`
    return preferences.map(({ number }) => `${this.deployment.id}${kind}${number}`)
  }
}
