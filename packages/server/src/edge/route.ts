// A deployment as one kind of address serves it.
import type { Redirects } from '../core/deployments/rules/redirects.ts'
import type { SiteRules } from '../core/deployments/rules/site-rules.ts'
import type { SiteDeployment } from '../core/projects/sites.ts'
import { type Preference, preferences } from './encodings.ts'

const firstCheckMs = 2_000
const longestCheckMs = 60_000

export interface RouteKind {
  projectId: string
  noindex: boolean
  guarded: boolean
  /** For requests that brought the password of a path. */
  behindPassword?: boolean
}

export class Route {
  readonly deployment: SiteDeployment
  readonly projectId: string
  readonly noindex: boolean
  /** Only for visitors who were let in: its answers are never stored elsewhere. */
  readonly guarded: boolean
  /** Milliseconds of the second in which it was deployed: HTTP dates know nothing finer. */
  readonly modified: number
  /** Compressed variants come some time after going live; until then they are looked for now and then. */
  #variants = false
  #nextVariantCheck = 0
  variantCheck: Promise<void> | undefined
  #checkEveryMs = firstCheckMs
  #keys: readonly string[]
  #rules: Promise<SiteRules | undefined> | undefined
  #isOpen = false
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

  /** The deployment's own rules, read once; a failed read is tried again. */
  rules(read: () => Promise<SiteRules | undefined>): Promise<SiteRules | undefined> {
    this.#rules ??= read().then(
      rules => {
        this.#isOpen = rules?.headers.hasGuards !== true
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

  /** Whether the rules are known, and none of them asks for a password. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Once `isOpen` is true: the deployment's redirects, if it has any rules. */
  get redirects(): Redirects | undefined {
    return this.#redirects
  }

  /**
   * The same for requests that brought the password of a path. Their answers are never stored elsewhere, and have a place
   * of their own in memory, which is looked at after the password only.
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
   * The key of an answer in memory; answers from before the variants came are thereby forgotten. `host` is asked for if
   * the rules look at it.
   */
  key(preference: Preference, path: string, host: () => string): string {
    const key = this.#keys[preference.number] + path
    return this.#byHost ? `${key} ${host()}` : key
  }

  /** True once per period: the caller looks for the variants. */
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
