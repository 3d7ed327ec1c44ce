// A deployment with the facts that depend on the URL it is served at: production, preview or protected.
import type { Redirects } from '../core/deployments/rules/redirects.ts'
import type { SiteRules } from '../core/deployments/rules/site-rules.ts'
import type { SiteDeployment } from '../core/projects/sites.ts'
import { type Preference, preferences } from './encodings.ts'

const firstCheckMs = 2_000
const longestCheckMs = 60_000

interface RouteKind {
  projectId: string
  noindex: boolean
  guarded: boolean
  /** For requests that passed the password of a path. */
  behindPassword?: boolean
}

export class Route {
  readonly deployment: SiteDeployment
  readonly projectId: string
  readonly noindex: boolean
  /** The site is protected. Its answers must not be stored by caches. */
  readonly guarded: boolean
  /** When it was deployed, rounded down to a second, because HTTP dates have whole seconds. */
  readonly modified: number
  /** Compressed variants are made after a deployment goes live. Until then `files.ts` checks for them now and then. */
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

  constructor(deployment: SiteDeployment, { projectId, noindex, guarded, behindPassword }: RouteKind) {
    this.deployment = deployment
    this.projectId = projectId
    this.noindex = noindex
    this.guarded = guarded
    this.#isBehindPassword = behindPassword === true
    this.modified = Math.floor(deployment.createdAt / 1000) * 1000
    this.#keys = this.#prefixes()
  }

  get hasVariants(): boolean {
    return this.#variants
  }

  /** The deployment's rules, read once. A failed read is retried by the next call. */
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

  /** The rules have been read, and none of them needs a password. */
  get hasNoPathPasswords(): boolean {
    return this.#hasNoPathPasswords
  }

  /** The deployment's redirects. Only valid once `hasNoPathPasswords` is true. */
  get redirects(): Redirects | undefined {
    return this.#redirects
  }

  /**
   * The same route for requests that passed the password of a path. Caches must not store the answers. They have keys of
   * their own in memory, which are used only after the password check.
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
   * The key of a hot file. It changes when the variants are found, so that uncompressed entries are no longer used. `host`
   * is called only if the rules depend on the host.
   */
  key(preference: Preference, path: string, host: () => string): string {
    const key = this.#keys[preference.number] + path
    return this.#byHost ? `${key} ${host()}` : key
  }

  /** Returns true once per period. The caller then checks for variants. */
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
