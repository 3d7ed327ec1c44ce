// Hands requests to server apps and their answers back.
import type { IncomingMessage } from 'node:http'
import type { Apps } from '../../core/apps/apps.ts'
import { Fault } from '../../lib/fault.ts'
import type { Exchange } from '../exchange.ts'
import { type PageName, sendPage } from '../pages.ts'
import type { Route } from '../route.ts'
import type { Upgrade } from '../upgrades.ts'
import { answerHeaders } from './answer-headers.ts'
import { Cancellation } from './cancellation.ts'
import { deliver } from './deliver.ts'
import { type Forwarded, forwardedOf } from './forwarded.ts'
import { sendInterimResponse } from './interim-responses.ts'
import { rewriteOwnUrls } from './own-urls.ts'
import { requestHeaders } from './request-headers.ts'
import { pathFor } from './request-path.ts'
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

export interface ProxyParts {
  apps: Apps
  timeouts: AppTimeouts
  limits: ConcurrencyLimits
  /** Whose X-Forwarded-* headers are believed. */
  isTrusted(address: string): boolean
  onError(error: unknown, exchange: Exchange): void
}

interface ProxyOptions {
  /** The request asks for another protocol. */
  upgrade?: Upgrade
  /** Called before the visitor gets the answer; with undefined if there is none and the app may have worked on it. */
  onAnswer?(answer: IncomingMessage | undefined): void
}

interface FetchOptions {
  /** Header fields. */
  conditions: string[]
  cancellation: Cancellation
  /** Whoever waits; told of what comes before the answer. */
  client: Exchange | undefined
}

/** How often a request that reached nobody, or was sent on a connection that just ended, is sent again. */
const attempts = 3

/** Requests that may be sent twice without doing anything twice. */
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
    const path = pathFor(exchange.url)
    if (path === undefined || !isPlainlyFramed(req)) return sendPage(exchange, 'badRequest')
    const done = this.#apps.markBusy(route.deployment.id)
    const cancellation = new Cancellation(res)
    // A tunnel lasts longer than the answer that opened it.
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

  /** The app's answer to a GET, for the cache: under conditions of its own instead of the visitor's. */
  fetch(
    { exchange, headers, forwarded }: SentRequest,
    route: Route,
    { conditions, cancellation, client }: FetchOptions,
  ): Promise<IncomingMessage> {
    const outgoing: Outgoing = {
      method: 'GET',
      path: pathFor(exchange.url) ?? '/',
      headers: [...headers, ...conditions],
      body: undefined,
      cancellation,
      onInterimResponse: (status, fields) => client && sendInterimResponse(client.res, status, fields.link),
    }
    return this.#sendToApp(route, outgoing, forwarded)
  }

  /** Until the function that it answers is called. */
  busy(route: Route): () => void {
    return this.#apps.markBusy(route.deployment.id)
  }

  /** Answers a request that the app did not answer. */
  sendError(exchange: Exchange, error: unknown): void {
    if (exchange.res.headersSent) return void exchange.res.destroy()
    if (!isExpected(error)) this.#onError(error, exchange)
    sendPage(exchange, pageFor(error))
  }

  close(): void {
    this.#upstream.close()
  }

  /** Sends the request. One that no app received is sent again, to the instance that is there by then. */
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

/** What the client is told before the app's answer (1xx). */
const passInterim = ({ req, res }: Exchange): Partial<Outgoing> => ({
  expectsContinue: req.headers.expect !== undefined,
  onInterimResponse: (status, fields) => sendInterimResponse(res, status, fields.link),
})

/** Codings of the transfer other than the one that everybody knows could be read in more than one way. */
const isPlainlyFramed = ({ headers }: IncomingMessage): boolean =>
  (headers['transfer-encoding'] ?? 'chunked').trim().toLowerCase() === 'chunked'

function mayRepeat(error: unknown, { method, body, cancellation }: Outgoing): boolean {
  if (cancellation.isCancelled) return false
  if (error instanceof AppUnreachable) return true
  return error instanceof StaleConnection && body === undefined && repeatable.has(method)
}

/** What an app or its visitors do to themselves is no trouble of the platform's. */
const isExpected = (error: unknown): boolean =>
  [Fault, AppTimedOut, ConcurrencyLimitReached, TooManyInterim].some(kind => error instanceof kind)

function pageFor(error: unknown): PageName {
  if (error instanceof ConcurrencyLimitReached) return 'appOverloaded'
  if (error instanceof Fault) return 'appUnavailable'
  return error instanceof AppTimedOut ? 'appTimedOut' : 'appFailed'
}
