// Checks the passwords of paths, which a deployment sets with `Basic-Auth` in `_headers`.
import type { IncomingMessage } from 'node:http'
import { type IsScheduled, isSignedJob } from '../../core/crons/signature.ts'
import { type Credentials, readAuthorization } from '../../core/deployments/rules/basic-auth.ts'
import type { HeaderRules } from '../../core/deployments/rules/headers.ts'
import type { RequestedUrl } from '../../core/deployments/rules/source.ts'
import { clientAddress, networkOf } from '../../lib/client-address.ts'
import type { Clock } from '../../lib/clock.ts'
import { headersWithout } from '../../lib/raw-headers.ts'
import type { Exchange } from '../exchange.ts'
import { sendPage } from '../pages.ts'
import type { Target } from '../targets.ts'
import { pathsAppsMayRead, resizedImagesAt } from './app-paths.ts'
import { Guesses } from './guesses.ts'

interface PathPasswordsParts {
  clock: Clock
  isTrusted(address: string): boolean
  /** Whether a request is one of the project's own scheduled jobs. */
  isScheduled: IsScheduled
  /** Counts a wrong password across all processes and nodes. Returns true if there were too many. */
  countGuess?(key: string): Promise<boolean>
}

export class PathPasswords {
  readonly #guesses: Guesses
  readonly #addressOf: (exchange: Exchange) => string
  readonly #isScheduled: IsScheduled
  readonly #countGuess: (key: string) => Promise<boolean>

  constructor({ clock, isTrusted, isScheduled, countGuess }: PathPasswordsParts) {
    this.#countGuess = countGuess ?? (async () => false)
    this.#guesses = new Guesses(clock)
    this.#addressOf = clientAddress(isTrusted)
    this.#isScheduled = isScheduled
  }

  /**
   * Returns true if all guards accept the password of the request, or if the request is a scheduled job. Otherwise it
   * answers the request and returns false.
   */
  async admits(exchange: Exchange, projectId: string, guards: readonly Credentials[]): Promise<boolean> {
    const { req } = exchange
    const network = `${projectId} ${networkOf(this.#addressOf(exchange))}`
    const given = readAuthorization(req.headers.authorization)
    if (given !== undefined && this.#guesses.areTooMany(network)) {
      sendPage(exchange, 'tooManyPasswords')
      return false
    }
    if (given !== undefined && guards.every(guard => guard.accept(given))) {
      forgetAuthorization(req)
      return true
    }
    if (await isSignedJob(req, projectId, this.#isScheduled)) return true
    if (given !== undefined) await this.#noteWrong(network)
    sendPage(exchange, 'passwordNeeded')
    return false
  }

  /**
   * Counts a wrong password, first in this process and then across all. The first count is immediate, so concurrent guesses
   * cannot exceed the limit while the second is under way.
   */
  async #noteWrong(network: string): Promise<void> {
    this.#guesses.add(network)
    if (await this.#countGuess(network)) this.#guesses.block(network)
  }
}

/** Removes the Authorization header. Its password is for the platform, so neither the app nor a log may see it. */
function forgetAuthorization(req: IncomingMessage): void {
  const { rawHeaders } = req
  const others = headersWithout(rawHeaders, name => name === 'authorization')
  // In place, since `rawHeaders` of an HTTP/2 request cannot be replaced.
  rawHeaders.splice(0, rawHeaders.length, ...others)
  delete req.headers.authorization
}

/**
 * The guards of all paths that an app may serve for the request, and of the file that answers it. So a rule for `/admin`
 * also protects `/admin.html`, and a rewrite to that file. The guards of the file do not count if a rule lifts the
 * protection of one of its paths.
 */
export function guardsOf(
  rules: HeaderRules,
  asked: Target & RequestedUrl,
  { req: { headers } }: Exchange,
  file?: string,
): Credentials[] {
  const at = (path: string) => rules.guards({ ...asked, path })
  const images = resizedImagesAt(asked.written + asked.query)
  const written = [asked.written, ...images, ...otherAddresses.flatMap(name => headers[name] ?? [])]
  const ofFile = file === undefined ? [] : addressesOf(file).map(at)
  const all = [at(asked.path), ...written.flatMap(pathsAppsMayRead).map(at)]
  return [...all, ...(ofFile.includes(null) ? [] : ofFile)].flatMap(guards => guards ?? [])
}

/** Header fields that make some frameworks serve another path than the one in the request line. */
const otherAddresses = ['x-original-url', 'x-rewrite-url']

/** The paths at which a static site serves a file. */
function addressesOf(file: string): string[] {
  const address = `/${file}`
  return [address, address.replace(/\.html$/, ''), address.replace(/\/index\.html$/, '/')]
}
