// The reverse proxy to server apps. It starts the app if needed, sends it the request, and streams the answer to the
// client.
import type { IncomingMessage } from 'node:http'
import type { AppAddress, Apps } from '../../core/base/apps.ts'
import { Fault } from '../../lib/fault.ts'
import { deliverAppAnswer } from '../compression/app-answers.ts'
import type { Exchange } from '../exchange.ts'
import { type PageName, sendPage } from '../pages.ts'
import type { Route } from '../route.ts'
import { inOriginForm } from '../targets.ts'
import type { Upgrade } from '../upgrades.ts'
import { answerHeaders } from './answer-headers.ts'
import type { BegunRequest } from './begun-request.ts'
import { Cancellation } from './cancellation.ts'
import { type Forwarded, forwardedOf } from './forwarded.ts'
import { sendInterimResponse } from './interim-responses.ts'
import type { LentConnection } from './lent-connection.ts'
import { rewriteOwnUrls } from './own-urls.ts'
import { requestHeaders } from './request-headers.ts'
import type { SentRequest } from './sent-request.ts'
import type { AppTimeouts } from './timeouts.ts'
import { openTunnel } from './tunnel.ts'
import {
  AppTimedOut,
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
  /** Whether X-Forwarded-* headers from this address are used. */
  isTrusted(address: string): boolean
  onError(error: unknown, exchange: Exchange): void
}

interface ProxyOptions {
  /** Set if the request is an upgrade. */
  upgrade?: Upgrade
  /**
   * Called before the answer is sent to the client. `answer` is `undefined` if the request failed. The app may have
   * processed it even then.
   */
  onAnswer?(answer: IncomingMessage | undefined): void
}

interface FetchOptions {
  /** Header fields that make the request conditional, names and values in turn. */
  conditions: string[]
  cancellation: Cancellation
  /** The client that waits, if any. It receives interim responses. */
  client: Exchange | undefined
}

/** The largest number of attempts to send a request. `mayRepeat` decides which errors allow another attempt. */
const attempts = 3

/** Idempotent methods: a request with such a method may be sent twice. */
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
    // The app is busy until the answer is over. A tunnel outlives the answer that opened it, so then its socket counts.
    if (upgrade === undefined) res.once('close', done)
    else upgrade.socket.once('close', done)
    try {
      const forwarded = forwardedOf(exchange, this.#isTrusted)
      const { headers, hasBody } = requestHeaders(exchange, forwarded)
      const outgoing: Outgoing = {
        ...{ method: exchange.method, path, headers, cancellation, body: hasBody ? req : undefined },
        ...(upgrade
          ? openTunnel(exchange, upgrade, headers, answer => answerHeaders(answer, route))
          : passInterim(exchange)),
      }
      const answer = await this.#sendToApp(route, outgoing, forwarded, begunFor(exchange, route))
      onAnswer?.(answer)
      deliverAppAnswer(answer, exchange, [...answerHeaders(answer, route), 'X-Svc-Cache', 'BYPASS'])
    } catch (error) {
      onAnswer?.(undefined)
      if (!cancellation.isCancelled) this.sendError(exchange, error)
    }
  }

  /**
   * Sends a GET to the app for the cache and resolves with the answer. The client's own conditions are replaced by
   * `conditions`.
   */
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

  /** Lends an idle connection to a running app, if there is one, and marks the app as busy until it is given back. */
  lend({ deployment }: Route): { connection: LentConnection; address: AppAddress } | undefined {
    const address = this.#apps.peek(deployment.id)
    const connection = address && this.#upstream.lend(address)
    if (address === undefined || connection === undefined) return undefined
    connection.whenLeft(this.#apps.markBusy(deployment.id))
    return { connection, address }
  }

  /** Marks the app as busy until the returned function is called. A busy app is not stopped. */
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

  /**
   * Starts the app if needed, sends the request, and resolves with the answer. Sends the request again if `mayRepeat`
   * allows it. The first attempt is that of the lane if the lane has begun the request.
   */
  async #sendToApp(
    route: Route,
    outgoing: Outgoing,
    forwarded: Forwarded,
    begunByLane?: BegunRequest,
  ): Promise<IncomingMessage> {
    const { projectId, deployment } = route
    const deploymentId = deployment.id
    let begun = begunByLane
    for (let attempt = 1; ; attempt++) {
      const address =
        begun?.address ??
        this.#apps.peek(deploymentId) ??
        (await this.#apps.ensureRunning({ projectId, deploymentId }, outgoing.cancellation.signal))
      try {
        const sent = this.#upstream.send(address, outgoing, begun)
        begun = undefined
        const answer = await sent
        rewriteOwnUrls(answer, address, forwarded)
        return answer
      } catch (error) {
        if (error instanceof AppUnreachable) this.#apps.markUnreachable(deploymentId, address)
        if (attempt === attempts || begunByLane?.hasLostBody || !mayRepeat(error, outgoing)) throw error
        if (error instanceof StaleConnection) outgoing.onNewConnection = true
      }
    }
  }
}

/** The parts of an outgoing request that pass the app's interim responses (1xx) to the client. */
const passInterim = ({ req, res }: Exchange): Partial<Outgoing> => ({
  expectsContinue: req.headers.expect !== undefined,
  onInterimResponse: (status, fields) => sendInterimResponse(res, status, fields.link),
})

/**
 * Returns the request that a lane has sent to the app of this route, if the exchange finishes one. Throws if the lane has
 * sent it to another deployment, which was live then, and it must not be sent twice.
 */
function begunFor({ begun, method }: Exchange, { deployment }: Route): BegunRequest | undefined {
  if (begun === undefined || begun.deploymentId === deployment.id) return begun
  if (repeatable.has(method) && !begun.hasLostBody) return undefined
  throw new Error('Another deployment went live before the app answered.')
}

/** Whether the request has no transfer coding other than `chunked`. Servers disagree on how to read the others. */
const isPlainlyFramed = ({ headers }: IncomingMessage): boolean =>
  (headers['transfer-encoding'] ?? 'chunked').trim().toLowerCase() === 'chunked'

/** Whether the request may be sent again: the app did not receive it, or receiving it twice does no harm. */
function mayRepeat(error: unknown, { method, body, cancellation }: Outgoing): boolean {
  if (cancellation.isCancelled) return false
  if (error instanceof AppUnreachable) return true
  return error instanceof StaleConnection && body === undefined && repeatable.has(method)
}

/** Whether the app or its visitors caused the error. Such errors are not reported to `onError`. */
const isExpected = (error: unknown): boolean =>
  [Fault, AppTimedOut, ConcurrencyLimitReached, TooManyInterim].some(kind => error instanceof kind)

function pageFor(error: unknown): PageName {
  if (error instanceof ConcurrencyLimitReached) return 'appOverloaded'
  if (error instanceof Fault) return 'appUnavailable'
  return error instanceof AppTimedOut ? 'appTimedOut' : 'appFailed'
}
