// The reverse proxy to server apps.
import type { IncomingMessage } from 'node:http'
import type { Apps } from '../../core/apps/apps.ts'
import { Fault } from '../../lib/fault.ts'
import type { Exchange } from '../exchange.ts'
import { type PageName, sendPage } from '../pages.ts'
import type { Route } from '../route.ts'
import { inOriginForm } from '../targets.ts'
import type { Upgrade } from '../upgrades.ts'
import { answerHeaders } from './answer-headers.ts'
import { Cancellation } from './cancellation.ts'
import { deliver } from './deliver.ts'
import { type Forwarded, forwardedOf } from './forwarded.ts'
import { sendInterimResponse } from './interim-responses.ts'
import { rewriteOwnUrls } from './own-urls.ts'
import { requestHeaders } from './request-headers.ts'
import type { SentRequest } from './sent-request.ts'
import { openTunnel } from './tunnel.ts'
import {
  AppTimedOut,
  type AppTimeouts,
  AppUnreachable,
  ConcurrencyLimitReached,
  type ConcurrencyLimits,
  type Outgoing,
  StaleConnection,
  TooManyInterim,
  Upstream,
} from './upstream.ts'

interface ProxyParts {
  apps: Apps
  timeouts: AppTimeouts
  limits: ConcurrencyLimits
  /** Whether X-Forwarded-* headers from this address are believed. */
  isTrusted(address: string): boolean
  onError(error: unknown, exchange: Exchange): void
}

interface ProxyOptions {
  /** Set if the request is an upgrade. */
  upgrade?: Upgrade
  /** Called before the client gets the answer. `undefined` if none came, although the app may have done its work. */
  onAnswer?(answer: IncomingMessage | undefined): void
}

interface FetchOptions {
  /** Header fields that make the request conditional. */
  conditions: string[]
  cancellation: Cancellation
  /** The client that waits, if any. It receives interim responses. */
  client: Exchange | undefined
}

/** How often a request is tried that did not reach the app, or was sent on a connection that the app just closed. */
const attempts = 3

/** Idempotent methods, which may be sent twice. */
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

export class AppProxy {
  readonly #apps: Apps
  readonly #upstream: Upstream
  readonly #isTrusted: (address: string) => boolean
  readonly #onError: (error: unknown, exchange: Exchange) => void

  constructor({ apps, timeouts, limits, isTrusted, onError }: ProxyParts) {
    this.#apps = apps
    this.#upstream = new Upstream(timeouts, limits, address => apps.connect(address))
    this.#isTrusted = isTrusted
    this.#onError = onError
  }

  async proxyRequest(
    exchange: Exchange,
    route: Route,
    { upgrade, onAnswer }: ProxyOptions = {},
  ): Promise<void> {
    const { req, res } = exchange
    if (upgrade?.socket.destroyed ?? exchange.isClosed) return
    const path = inOriginForm(exchange.url)
    if (path === undefined || !isPlainlyFramed(req)) return sendPage(exchange, 'badRequest')
    const done = this.#apps.markBusy(route.deployment.id)
    const cancellation = new Cancellation(res)
    // A tunnel outlives the answer that opened it.
    if (upgrade === undefined) res.once('close', done)
    else upgrade.socket.once('close', done)
    try {
      const forwarded = forwardedOf(exchange, this.#isTrusted)
      const { headers, hasBody } = requestHeaders(exchange, forwarded)
      const outgoing: Outgoing = {
        ...{ method: exchange.method, path, headers, cancellation, body: hasBody ? req : undefined },
        ...(upgrade ? openTunnel(exchange, upgrade, headers, route) : passInterim(exchange)),
      }
      const answer = await this.#sendToApp(route, outgoing, forwarded)
      onAnswer?.(answer)
      deliver(answer, exchange, [...answerHeaders(answer, route), 'X-Svc-Cache', 'BYPASS'])
    } catch (error) {
      onAnswer?.(undefined)
      if (!cancellation.isCancelled) this.sendError(exchange, error)
    }
  }

  /** Sends a GET for the cache, with the conditions of the cache entry instead of the client's. */
  fetch(
    { exchange, headers, forwarded }: SentRequest,
    route: Route,
    { conditions, cancellation, client }: FetchOptions,
  ): Promise<IncomingMessage> {
    const outgoing: Outgoing = {
      method: 'GET',
      path: inOriginForm(exchange.url) ?? '/',
      headers: [...headers, ...conditions],
      body: undefined,
      cancellation,
      onInterimResponse: (status, fields) => client && sendInterimResponse(client.res, status, fields.link),
    }
    return this.#sendToApp(route, outgoing, forwarded)
  }

  /** Keeps the app awake until the returned function is called. */
  busy(route: Route): () => void {
    return this.#apps.markBusy(route.deployment.id)
  }

  /** Sends an error page, or aborts the answer if it has begun. */
  sendError(exchange: Exchange, error: unknown): void {
    if (exchange.res.headersSent) return void exchange.res.destroy()
    if (!isExpected(error)) this.#onError(error, exchange)
    sendPage(exchange, pageFor(error))
  }

  close(): void {
    this.#upstream.close()
  }

  /** Starts the app if needed and sends the request. Retries a request that no instance received. */
  async #sendToApp(route: Route, outgoing: Outgoing, forwarded: Forwarded): Promise<IncomingMessage> {
    const { projectId, deployment } = route
    const deploymentId = deployment.id
    for (let attempt = 1; ; attempt++) {
      const address =
        this.#apps.peek(deploymentId) ??
        (await this.#apps.ensureRunning({ projectId, deploymentId }, outgoing.cancellation.signal))
      try {
        const answer = await this.#upstream.send(address, outgoing)
        rewriteOwnUrls(answer, address, forwarded)
        return answer
      } catch (error) {
        if (error instanceof AppUnreachable) this.#apps.markUnreachable(deploymentId, address)
        if (attempt === attempts || !mayRepeat(error, outgoing)) throw error
      }
    }
  }
}

/** Passes interim responses (1xx) on to the client. */
const passInterim = ({ req, res }: Exchange): Partial<Outgoing> => ({
  expectsContinue: req.headers.expect !== undefined,
  onInterimResponse: (status, fields) => sendInterimResponse(res, status, fields.link),
})

/** Only `chunked` is allowed: servers disagree on how to read other transfer codings. */
const isPlainlyFramed = ({ headers }: IncomingMessage): boolean =>
  (headers['transfer-encoding'] ?? 'chunked').trim().toLowerCase() === 'chunked'

function mayRepeat(error: unknown, { method, body, cancellation }: Outgoing): boolean {
  if (cancellation.isCancelled) return false
  if (error instanceof AppUnreachable) return true
  return error instanceof StaleConnection && body === undefined && repeatable.has(method)
}

/** Errors that an app or its visitors cause. They are not logged as errors of the platform. */
const isExpected = (error: unknown): boolean =>
  [Fault, AppTimedOut, ConcurrencyLimitReached, TooManyInterim].some(kind => error instanceof kind)

function pageFor(error: unknown): PageName {
  if (error instanceof ConcurrencyLimitReached) return 'appOverloaded'
  if (error instanceof Fault) return 'appUnavailable'
  return error instanceof AppTimedOut ? 'appTimedOut' : 'appFailed'
}
