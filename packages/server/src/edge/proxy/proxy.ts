// Hands requests to server apps and their answers back.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Apps } from '../../core/apps/reach.ts'
import { Fault } from '../../lib/fault.ts'
import { requestedHost } from '../hosts.ts'
import { type PageName, sendPage } from '../pages.ts'
import type { Route } from '../route.ts'
import type { Upgrade } from '../upgrades.ts'
import { answerHeaders } from './answer-headers.ts'
import { deliver } from './deliver.ts'
import { Departure, hasLeft } from './departure.ts'
import { type Forwarded, forwardedOf } from './forwarded.ts'
import { inform } from './inform.ts'
import { rewriteOwnUrls } from './own-urls.ts'
import { requestHeaders } from './request-headers.ts'
import { pathFor } from './request-path.ts'
import type { SentRequest } from './sent-request.ts'
import { openTunnel } from './tunnel.ts'
import {
  type Crowd,
  Crowded,
  Late,
  type Outgoing,
  type Patience,
  Stale,
  TooManyInterim,
  Unreached,
  Upstream,
} from './upstream.ts'

export interface ProxyParts {
  apps: Apps
  patience: Patience
  crowd: Crowd
  /** Whose X-Forwarded-* headers are believed. */
  isTrusted(address: string): boolean
  onError(error: unknown): void
}

/** A request on its way to an app. */
interface Passage {
  req: IncomingMessage
  res: ServerResponse
  route: Route
  forwarded: Forwarded
}

interface Serving {
  /** The request asks for another protocol. */
  upgrade?: Upgrade
  /** Called before the visitor gets the answer; with undefined if there is none and the app may have worked on it. */
  onAnswer?(answer: IncomingMessage | undefined): void
}

interface Fetching {
  /** Header fields. */
  conditions: string[]
  departure: Departure
  /** Whoever waits; told of what comes before the answer. */
  res: ServerResponse | undefined
}

/** How often a request that reached nobody, or was sent on a connection that just ended, is sent again. */
const attempts = 3

/** Requests that may be sent twice without doing anything twice. */
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

export class AppProxy {
  readonly #apps: Apps
  readonly #upstream: Upstream
  readonly #isTrusted: (address: string) => boolean
  readonly #onError: (error: unknown) => void

  constructor({ apps, patience, crowd, isTrusted, onError }: ProxyParts) {
    this.#apps = apps
    this.#upstream = new Upstream(patience, crowd, address => apps.connect(address))
    this.#isTrusted = isTrusted
    this.#onError = onError
  }

  async serve(
    req: IncomingMessage,
    res: ServerResponse,
    route: Route,
    { upgrade, onAnswer }: Serving = {},
  ): Promise<void> {
    if (upgrade?.socket.destroyed ?? hasLeft(res)) return
    const path = pathFor(req.url!)
    if (path === undefined || !isPlainlyFramed(req)) return sendPage(req, res, 'badRequest')
    const done = this.#apps.busy(route.deployment.id)
    const departure = new Departure(res)
    // A tunnel lasts longer than the answer that opened it.
    if (upgrade === undefined) res.once('close', done)
    else upgrade.socket.once('close', done)
    try {
      const forwarded = this.#forwarded(req)
      const outgoing = this.#outgoing({ req, res, route, forwarded }, path, departure, upgrade)
      const answer = await this.#ask(route, outgoing, forwarded)
      onAnswer?.(answer)
      deliver(answer, res, [...answerHeaders(answer, route), 'X-Svc-Cache', 'BYPASS'])
    } catch (error) {
      onAnswer?.(undefined)
      if (!departure.isGone) this.refuse(req, res, error)
    }
  }

  /** The app's answer to a GET, for the cache: under conditions of its own instead of the visitor's. */
  fetch(
    { req, headers, forwarded }: SentRequest,
    route: Route,
    { conditions, departure, res }: Fetching,
  ): Promise<IncomingMessage> {
    const outgoing: Outgoing = {
      method: 'GET',
      path: pathFor(req.url!) ?? '/',
      headers: [...headers, ...conditions],
      body: undefined,
      departure,
      onInformation: (status, fields) => res && inform(res, status, fields.link),
    }
    return this.#ask(route, outgoing, forwarded)
  }

  /** Until the function that it answers is called. */
  busy(route: Route): () => void {
    return this.#apps.busy(route.deployment.id)
  }

  /** Answers a request that the app did not answer. */
  refuse(req: IncomingMessage, res: ServerResponse, error: unknown): void {
    if (res.headersSent) return void res.destroy()
    if (!isExpected(error)) this.#onError(error)
    sendPage(req, res, pageFor(error))
  }

  close(): void {
    this.#upstream.close()
  }

  #forwarded(req: IncomingMessage): Forwarded {
    return forwardedOf(req, requestedHost(req)!, this.#isTrusted)
  }

  #outgoing(
    { req, res, route, forwarded }: Passage,
    path: string,
    departure: Departure,
    upgrade?: Upgrade,
  ): Outgoing {
    const { headers, hasBody } = requestHeaders(req, requestedHost(req)!, forwarded)
    const outgoing = { method: req.method!, path, headers, departure, body: hasBody ? req : undefined }
    if (upgrade !== undefined) return { ...outgoing, ...openTunnel(upgrade, headers, route) }
    return {
      ...outgoing,
      expectsContinue: req.headers.expect !== undefined,
      onInformation: (status, fields) => inform(res, status, fields.link),
    }
  }

  /** Sends the request. One that no app received is sent again, to the instance that is there by then. */
  async #ask(route: Route, outgoing: Outgoing, forwarded: Forwarded): Promise<IncomingMessage> {
    const { projectId, deployment } = route
    const deploymentId = deployment.id
    for (let attempt = 1; ; attempt++) {
      const address =
        this.#apps.peek(deploymentId) ??
        (await this.#apps.reach({ projectId, deploymentId }, outgoing.departure.signal))
      try {
        const answer = await this.#upstream.send(address, outgoing)
        rewriteOwnUrls(answer, address, forwarded)
        return answer
      } catch (error) {
        if (error instanceof Unreached) this.#apps.failed(deploymentId, address)
        if (attempt === attempts || !mayRepeat(error, outgoing)) throw error
      }
    }
  }
}

/** Codings of the transfer other than the one that everybody knows could be read in more than one way. */
const isPlainlyFramed = ({ headers }: IncomingMessage): boolean =>
  (headers['transfer-encoding'] ?? 'chunked').trim().toLowerCase() === 'chunked'

function mayRepeat(error: unknown, { method, body, departure }: Outgoing): boolean {
  if (departure.isGone) return false
  if (error instanceof Unreached) return true
  return error instanceof Stale && body === undefined && repeatable.has(method)
}

/** What an app or its visitors do to themselves is no trouble of the platform's. */
const isExpected = (error: unknown): boolean =>
  [Fault, Late, Crowded, TooManyInterim].some(kind => error instanceof kind)

function pageFor(error: unknown): PageName {
  if (error instanceof Crowded) return 'appCrowded'
  if (error instanceof Fault) return 'appUnavailable'
  return error instanceof Late ? 'appLate' : 'appFailed'
}
