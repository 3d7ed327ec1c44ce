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
  changes: Changes
  clock: Clock
  /** The platform's domain. */
  domain: string
  files: CertificateFiles | undefined
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

export class ShownCertificates {
  readonly #domain: string
  readonly #files: CertificateFiles | undefined
  readonly #stored: ReadThroughCache<Entry>
  readonly #read: CertificateReader
  readonly #defaultListeners: (() => void)[] = []
  readonly #unsubscribe: () => void

  constructor({ stored, changes, clock, domain, files }: ShownCertificatesParts) {
    this.#domain = domain
    this.#files = files
    this.#read = stored
    const read = async (name: string) => ({ context: contextOf(await stored(name)) })
    this.#stored = new ReadThroughCache(read, clock, budget, weightOf)
    this.#unsubscribe = changes.subscribe(change => {
      // Removing a domain removes its certificate.
      if (change.topic === 'certificate' || change.topic === 'domain') this.#stored.forget(change.key)
      else if (change.topic === 'everything') this.#stored.forgetEverything()
      else return
      if (change.topic === 'everything' || change.key === `*.${domain}`)
        for (const listener of this.#defaultListeners) listener()
    })
  }

  /** The certificate for a name in lower case, without a trailing dot. `undefined` if there is none. */
  async find(name: string): Promise<SecureContext | undefined> {
    const key = this.#keyOf(name)
    return this.#fromFiles(name) ?? (key === undefined ? undefined : (await this.#stored.find(key)).context)
  }

  /** Whether there is a certificate for the name. `undefined` if the answer is not cached, so that `find` must ask the database. */
  has(name: string): boolean | undefined {
    const key = this.#keyOf(name)
    if (this.#fromFiles(name)) return true
    if (key === undefined) return false
    const entry = this.#stored.peek(key)
    return entry === undefined ? undefined : entry.context !== undefined
  }

  async findDefault(): Promise<{ cert: string; key: string } | undefined> {
    const file = this.#files?.current
    if (file) return { cert: file.chain, key: file.key }
    const stored = await this.#read(`*.${this.#domain}`)
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

  /**
   * The name in the database of the certificate for `name`. The platform's domain and its direct subdomains share the
   * wildcard certificate. `undefined` for deeper subdomains, which have no certificate.
   */
  #keyOf(name: string): string | undefined {
    const wildcard = `*.${this.#domain}`
    if (name === this.#domain) return wildcard
    if (!name.endsWith(`.${this.#domain}`)) return name
    return name.slice(0, -this.#domain.length - 1).includes('.') ? undefined : wildcard
  }
}

const contextOf = (stored: Awaited<ReturnType<CertificateReader>>): SecureContext | undefined =>
  stored && createSecureContext({ ...tlsOptions, cert: stored.chain, key: stored.key.reveal() })
