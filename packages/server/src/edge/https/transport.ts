// The step before the sites and the platform: answers ACME challenges, redirects HTTP to HTTPS, and
// decides whether the answer gets a Strict-Transport-Security header.
import { isIP } from 'node:net'
import { detached } from '../../lib/detached.ts'
import type { Exchange } from '../exchange.ts'
import { hostname } from '../hosts.ts'
import type { HotRequest } from '../lanes/lanes.ts'
import { sendPage } from '../pages.ts'
import { redirectToOrigin } from '../redirects.ts'

interface TransportParts {
  /** The answer to an ACME token. `undefined` if the host has no pending challenge with this token. */
  challenge(host: string, token: string): Promise<string | undefined>
  /** `undefined` if there is no HTTPS listener. Requests are then not redirected. */
  https: Https | undefined
  /** Whether a trusted proxy received the request over HTTPS. */
  cameSecurely(exchange: Exchange): boolean
  onError(error: unknown, exchange: Exchange): void
}

interface Https {
  certificates: {
    has(name: string): boolean | undefined
    find(name: string): Promise<unknown>
    /** Has the certificate of a host below the platform's domain issued, if it has none. */
    request(name: string): Promise<unknown>
  }
  /** Whether the platform's own hosts will have a certificate. Until then, they take no passwords. */
  isAwaited: boolean
  /** The port in the HTTPS URLs that visitors use. */
  port: number
}

export interface Transport {
  /** Answers the request itself or calls `next`. */
  handle(exchange: Exchange, next: () => void): void
  /** Whether a lane may answer the request without `handle`. */
  mayLaneAnswer(request: Pick<HotRequest, 'target' | 'host'>, secure: boolean): boolean
}

/** The parts of the platform to which people send passwords and tokens. */
const takesSecrets = new Set<string>(['api', 'dashboard', 'dashboard-redirect', 'ai'])

const challengePath = '/.well-known/acme-challenge/'

export function createTransport({ challenge, https, cameSecurely, onError }: TransportParts): Transport {
  async function answerChallenge(exchange: Exchange, next: () => void): Promise<void> {
    const answer = await challenge(exchange.hostname, exchange.url.slice(challengePath.length))
    if (answer === undefined) return next()
    const length = String(Buffer.byteLength(answer))
    const headers = ['Content-Type', 'application/octet-stream', 'Content-Length', length]
    exchange.answer(200, [...headers, 'Cache-Control', 'no-store'], answer)
  }

  function redirectToHttps(exchange: Exchange, next: () => void): void {
    const name = https === undefined ? '' : exchange.hostname
    const isSecure = !isLocal(name) && (exchange.peer.secure || cameSecurely(exchange))
    const hasCertificate = isLocal(name) || isSecure ? false : https?.certificates.has(name)
    exchange.isStrictTransport = isSecure
    const answerPlain = () =>
      https?.isAwaited && !isSecure && !isLocal(name) && takesSecrets.has(exchange.destination.to)
        ? sendPage(exchange, 'certificatePending')
        : next()
    if (hasCertificate === false || https === undefined) answerPlain()
    else if (hasCertificate) sendToHttps(exchange, https.port)
    else redirectIfPossible(https, exchange, answerPlain)
  }

  /** Redirects if `find` returns a certificate for the host. Otherwise, or if the database fails, it calls `next`. */
  async function redirectIfPossible(
    { certificates, port }: Https,
    exchange: Exchange,
    next: () => void,
  ): Promise<void> {
    try {
      if ((await certificates.find(exchange.hostname)) !== undefined) return sendToHttps(exchange, port)
      await certificates.request(exchange.hostname)
    } catch (error) {
      onError(error, exchange)
    }
    next()
  }

  return {
    handle(exchange, next) {
      if (!exchange.url.startsWith(challengePath)) return redirectToHttps(exchange, next)
      const further = () => redirectToHttps(exchange, next)
      answerChallenge(exchange, further).catch(error => {
        onError(error, exchange)
        further()
      })
    },
    mayLaneAnswer({ target, host }, secure) {
      if (target.startsWith(challengePath)) return false
      if (https === undefined) return true
      const name = nameOf(host)
      // The lanes add Strict-Transport-Security to every answer over TLS. Local names must not get this header.
      return name === '' ? !secure : secure || https.certificates.has(name) === false
    },
  }
}

/** Redirects to the same URL over HTTPS. */
const sendToHttps = (exchange: Exchange, port: number): void =>
  redirectToOrigin(exchange, `https://${exchange.hostname}${port === 443 ? '' : `:${port}`}`)

const isLocal = (name: string): boolean =>
  name === '' || name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0

/** A cache of `nameOf`, by Host header. It is cleared when it is full, because clients can send any Host header. */
const names = new Map<string, string>()
const namesAtMost = 10_000
const longestHost = 300

/** The name in a Host header, without the port. Empty if the name is local or invalid. */
function nameOf(host: string): string {
  const known = names.get(host)
  if (known !== undefined) return known
  const read = hostname(host) ?? ''
  const name = isLocal(read) ? '' : read
  if (host.length > longestHost) return name
  if (names.size >= namesAtMost) names.clear()
  names.set(detached(host), name)
  return name
}
