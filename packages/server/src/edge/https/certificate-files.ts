// The operator's own certificate, read from files. It is reloaded when the files change.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext, type SecureContext } from 'node:tls'
import { tlsOptions } from './tls-options.ts'

interface CertificatePaths {
  cert: string
  key: string
}

interface FileCertificate {
  context: SecureContext
  chain: string
  key: string
  covers(name: string): boolean
  expiresAt: number
}

const lookEveryMs = 2_000

export class CertificateFiles {
  readonly #paths: CertificatePaths
  readonly #onError: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  readonly #listeners: (() => void)[] = []
  #seen: string
  /** The message of the last error, so that the same error is not reported every two seconds. */
  #lastError: string | undefined
  #current: FileCertificate

  /** Loads the files and watches them for changes. Throws if they cannot be used, so that svcd does not start. */
  constructor(paths: CertificatePaths, onError: (error: unknown) => void) {
    this.#paths = paths
    this.#onError = onError
    this.#seen = stateOf(paths)
    this.#current = load(paths)
    this.#timer = setInterval(() => this.reloadIfChanged(), lookEveryMs).unref()
  }

  /** The file of the certificate. */
  get path(): string {
    return this.#paths.cert
  }

  get current(): FileCertificate {
    return this.#current
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Loads the files again if they changed. If the new files cannot be used, the current certificate stays in use. */
  reloadIfChanged(): void {
    try {
      const state = stateOf(this.#paths)
      if (state !== this.#seen) this.#reload(state)
      this.#lastError = undefined
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#lastError) this.#onError(error)
      this.#lastError = message
    }
  }

  #reload(state: string): void {
    this.#current = load(this.#paths)
    this.#seen = state
    for (const listener of this.#listeners) listener()
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

function load({ cert, key }: CertificatePaths): FileCertificate {
  const chain = naming('SVCD_TLS_CERT', cert, 'cannot be read', () => readFileSync(cert, 'utf8'))
  const secret = naming('SVCD_TLS_KEY', key, 'cannot be read', () => readFileSync(key, 'utf8'))
  const leaf = naming('SVCD_TLS_CERT', cert, 'holds no certificate (PEM)', () => new X509Certificate(chain))
  const opened = naming('SVCD_TLS_KEY', key, 'holds no private key (PEM, not encrypted)', () =>
    createPrivateKey(secret),
  )
  if (!leaf.checkPrivateKey(opened)) throw new Error(`SVCD_TLS_KEY ${key} is not the key of ${cert}`)
  const context = createSecureContext({ ...tlsOptions, cert: chain, key: secret })
  return {
    context,
    chain,
    key: secret,
    covers: name => leaf.checkHost(name) !== undefined,
    expiresAt: Date.parse(leaf.validTo),
  }
}

/** Calls `work`. Adds the setting, the path and the problem to the message of an error. */
function naming<T>(setting: string, path: string, problem: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw new Error(`${setting} ${path} ${problem}: ${(cause as Error).message}`, { cause })
  }
}

function stateOf({ cert, key }: CertificatePaths): string {
  const state = (setting: string, path: string) => {
    const { ino, size, mtimeMs } = naming(setting, path, 'cannot be read', () => statSync(path))
    return `${ino} ${size} ${mtimeMs}`
  }
  return `${state('SVCD_TLS_CERT', cert)} ${state('SVCD_TLS_KEY', key)}`
}
