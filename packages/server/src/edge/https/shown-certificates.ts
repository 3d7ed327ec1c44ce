// Finds the certificate for a server name, in the operator's files or in the database. A certificate of the database is
// cached until its row changes.
import { createSecureContext, type SecureContext } from 'node:tls'
import type { CertificateReader } from '../../core/domains/certificates/reader.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Changes } from '../../ports/changes/port.ts'
import { ReadThroughCache } from '../read-through-cache.ts'
import type { CertificateFiles } from './certificate-files.ts'
import { tlsOptions } from './tls-options.ts'

interface ShownCertificatesParts {
  stored: CertificateReader
  /** Reads the copies of certificates on the disk. */
  kept?: CertificateReader | undefined
  changes: Changes
  clock: Clock
  /** The platform's domain. */
  domain: string
  files: CertificateFiles | undefined
  /**
   * Set where hosts below the platform's domain have certificates of their own. Has the certificate of such a host issued, if
   * there is a site. Returns whether it may come within seconds.
   */
  demand?: ((host: string) => Promise<boolean>) | undefined
}

interface Entry {
  context: SecureContext | undefined
}

/**
 * The total weight of the cached names. A name with a certificate takes about 35 KB and weighs 4, so at most 2,500
 * certificates are cached (below 100 MB). A name without a certificate weighs 1.
 */
const budget = 10_000
const weightOf = ({ context }: Entry): number => (context === undefined ? 1 : 4)
/** How long a handshake waits for a certificate that is being issued. Shorter than the time limit of a handshake. */
const waitMs = 8_000

export class ShownCertificates {
  readonly #domain: string
  readonly #files: CertificateFiles | undefined
  readonly #stored: ReadThroughCache<Entry>
  readonly #read: CertificateReader
  readonly #kept: CertificateReader | undefined
  readonly #demand: ShownCertificatesParts['demand']
  /** Called when the certificate of a name may have changed. */
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #defaultListeners: (() => void)[] = []
  readonly #unsubscribe: () => void

  constructor({ stored, kept, changes, clock, domain, files, demand }: ShownCertificatesParts) {
    this.#demand = demand
    this.#domain = domain
    this.#files = files
    this.#read = stored
    this.#kept = kept
    this.#stored = new ReadThroughCache(entryBy(stored), clock, {
      budget,
      weigh: weightOf,
      recall: kept && entryBy(kept),
    })
    this.#unsubscribe = changes.subscribe(change => {
      // Removing a domain removes its certificate.
      if (change.topic === 'certificate' || change.topic === 'domain') this.#stored.forget(change.key)
      else if (change.topic === 'everything') this.#stored.forgetEverything()
      else return
      if (change.topic === 'certificate') for (const look of this.#waiting.get(change.key) ?? []) look()
      if (change.topic === 'everything' || change.key === `*.${domain}`)
        for (const listener of this.#defaultListeners) listener()
    })
  }

  /** The certificate for a name in lower case, without a trailing dot. `undefined` if there is none. */
  async find(name: string): Promise<SecureContext | undefined> {
    const fromFiles = this.#fromFiles(name)
    if (fromFiles) return fromFiles
    for (const key of this.#keysOf(name)) {
      const { context } = await this.#stored.find(key)
      if (context) return context
    }
    return undefined
  }

  /** Asks for the certificate of a host below the platform's domain that has none. Returns whether it may come within seconds. */
  async request(name: string): Promise<boolean> {
    return this.#isBelow(name) && ((await this.#demand?.(name)) ?? false)
  }

  /** As `find`. If the certificate is missing and can be issued, has it issued and waits for it for a while. */
  async findOrAwait(name: string): Promise<SecureContext | undefined> {
    const found = await this.find(name)
    if (found || !(await this.request(name))) return found
    return await new Promise(resolve => {
      const waiting = this.#waiting.get(name) ?? new Set()
      const end = (context: SecureContext | undefined) => {
        clearTimeout(limit)
        waiting.delete(look)
        if (waiting.size === 0) this.#waiting.delete(name)
        resolve(context)
      }
      const look = () =>
        void this.find(name).then(
          context => context && end(context),
          () => undefined, // The database does not answer. The next change, or the time limit, follows.
        )
      const limit = setTimeout(end, waitMs, undefined)
      this.#waiting.set(name, waiting.add(look))
      // It may have come in between.
      look()
    })
  }

  /** Whether there is a certificate for the name. `undefined` if the answer is not cached, so that `find` must ask the database. */
  has(name: string): boolean | undefined {
    if (this.#fromFiles(name)) return true
    for (const key of this.#keysOf(name)) {
      const entry = this.#stored.peek(key)
      if (entry === undefined) return undefined
      if (entry.context) return true
    }
    return false
  }

  async findDefault(): Promise<{ cert: string; key: string } | undefined> {
    const file = this.#files?.current
    if (file) return { cert: file.chain, key: file.key }
    const name = `*.${this.#domain}`
    const stored = await this.#read(name).catch(error => {
      if (this.#kept === undefined) throw error
      return this.#kept(name)
    })
    return stored && { cert: stored.chain, key: stored.key.reveal() }
  }

  onDefaultChange(listener: () => void): void {
    this.#defaultListeners.push(listener)
    this.#files?.onChange(listener)
  }

  close(): void {
    this.#unsubscribe()
    this.#files?.close()
  }

  #fromFiles(name: string): SecureContext | undefined {
    const file = this.#files?.current
    return file?.covers(name) ? file.context : undefined
  }

  #isBelow(name: string): boolean {
    return name.endsWith(`.${this.#domain}`)
  }

  /**
   * The names in the database of the certificates for `name`, the best first. The platform's domain and its direct subdomains
   * have a certificate of their own, or share the wildcard certificate. Deeper subdomains have no certificate.
   */
  #keysOf(name: string): string[] {
    if (name !== this.#domain && !this.#isBelow(name)) return [name]
    if (name.slice(0, -this.#domain.length - 1).includes('.')) return []
    const wildcard = `*.${this.#domain}`
    return this.#demand ? [name, wildcard] : [wildcard, name]
  }
}

const entryBy = (read: CertificateReader) => async (name: string) => ({
  context: contextOf(await read(name)),
})

const contextOf = (stored: Awaited<ReturnType<CertificateReader>>): SecureContext | undefined =>
  stored && createSecureContext({ ...tlsOptions, cert: stored.chain, key: stored.key.reveal() })
