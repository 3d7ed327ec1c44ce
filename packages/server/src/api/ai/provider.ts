// Requests to AI providers: connections kept alive, every wait bounded, and a second try only if the first one reached
// nobody. A request that may have been received is never sent twice: it may cost money.
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { type AiUpstream, upstreamPath } from '../../core/ai/upstreams.ts'
import type { AiCall } from './calls.ts'
import { GatewayError } from './errors.ts'

/** Timeouts in milliseconds. */
export interface ProviderTimes {
  connect: number
  /** From the open connection to the first byte of the answer. */
  answer: number
  /** Between two parts of an answer, not counting the time in which the client reads nothing. */
  silence: number
  total: number
}

interface Outgoing {
  call: AiCall
  headers: Record<string, string>
  body: Buffer | undefined
  /** Aborted when the client disconnects or the time is up. */
  signal: AbortSignal
  /** With this, a request that was sent goes on without its client, until the time is up: the provider may charge for it. */
  deadline?: AbortSignal
  /** Called when the provider gets the request. */
  onSent?: () => void
}

const tries = 2
const betweenTriesMs = 100
/** Shorter than the idle timeout of common servers, so that no server closes a connection while a request is sent on it. */
const idleMs = 4_000
const idleConnections = 100

const timeoutCode = 'upstream_timeout'

/** The connection failed, so nothing was sent. */
class Unreached extends Error {}

export class Providers {
  readonly times: ProviderTimes
  readonly #agents = {
    'http:': new Agent({ keepAlive: true, maxFreeSockets: idleConnections }),
    'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: idleConnections }),
  }

  constructor(times: ProviderTimes) {
    this.times = times
    for (const agent of Object.values(this.#agents))
      agent.on('free', (socket: Socket) => socket.setTimeout(idleMs))
  }

  /** Resolves when the answer begins. */
  async send(upstream: AiUpstream, outgoing: Outgoing): Promise<IncomingMessage> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#sendOnce(upstream, outgoing)
      } catch (error) {
        if (!(error instanceof Unreached)) throw error
        outgoing.signal.throwIfAborted()
        if (tried === tries)
          throw new GatewayError(502, 'upstream_unreachable', 'The AI provider cannot be reached.', {
            cause: error.cause,
          })
        await new Promise(resolve => setTimeout(resolve, betweenTriesMs))
      }
    }
  }

  #sendOnce(upstream: AiUpstream, outgoing: Outgoing): Promise<IncomingMessage> {
    const { call, headers, body, signal, deadline, onSent } = outgoing
    const { url } = upstream
    return new Promise((resolve, reject) => {
      const out = this.#open(url, {
        method: call.method,
        path: upstreamPath(upstream, call.path, call.query),
        headers: withKey(headers, upstream, body),
      })
      let isConnected = false
      let timer = setTimeout(() => out.destroy(new Error('no connection in time')), this.times.connect)
      const giveUp = () => {
        if (!isConnected || deadline === undefined || deadline.aborted) out.destroy(reasonOf(deadline))
      }
      const signals = deadline === undefined ? [signal] : [signal, deadline]
      for (const each of signals) each.addEventListener('abort', giveUp, { once: true })
      out.once('close', () => {
        clearTimeout(timer)
        for (const each of signals) each.removeEventListener('abort', giveUp)
      })
      out.once('socket', socket => {
        socket.setTimeout(0)
        whenOpen(socket, url.protocol, () => {
          isConnected = true
          clearTimeout(timer)
          timer = setTimeout(() => out.destroy(tooLate()), this.times.answer)
          onSent?.()
          out.end(body)
        })
      })
      out.once('response', answer => {
        clearTimeout(timer)
        resolve(answer)
      })
      out.on('error', error => {
        if (error instanceof GatewayError) reject(error)
        else if (!isConnected) reject(new Unreached('nobody took the connection', { cause: error }))
        else reject(brokenOff(error))
      })
      if (signal.aborted) giveUp()
    })
  }

  #open(url: URL, options: { method: string; path: string; headers: Record<string, string> }): ClientRequest {
    const address = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || undefined, ...options }
    return url.protocol === 'https:'
      ? httpsRequest({ ...address, agent: this.#agents['https:'] })
      : httpRequest({ ...address, agent: this.#agents['http:'] })
  }
}

/** A request that was sent and got no answer in time says so. */
const reasonOf = (deadline: AbortSignal | undefined): Error | undefined =>
  deadline?.aborted && deadline.reason instanceof GatewayError ? deadline.reason : undefined

/** Calls `then` once the connection is open. A reused connection is open already. */
function whenOpen(socket: Socket, protocol: string, then: () => void): void {
  const isSecure = protocol === 'https:'
  if (socket.connecting || (isSecure && (socket as { secureConnecting?: boolean }).secureConnecting))
    socket.once(isSecure ? 'secureConnect' : 'connect', then)
  else then()
}

function withKey(
  headers: Record<string, string>,
  { url, key, authHeader }: AiUpstream,
  body: Buffer | undefined,
): Record<string, string> {
  const all: Record<string, string> = { ...headers, host: url.host }
  if (body !== undefined) all['content-length'] = String(body.length)
  if (key !== undefined)
    all[authHeader.toLowerCase()] =
      authHeader.toLowerCase() === 'authorization' ? `Bearer ${key.reveal()}` : key.reveal()
  return all
}

export const isTooLate = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === timeoutCode

export const tooLate = (): GatewayError =>
  new GatewayError(504, timeoutCode, 'The AI provider did not answer in time.', { mayRetry: false })

const brokenOff = (cause: unknown): GatewayError =>
  new GatewayError(
    502,
    'upstream_disconnected',
    'The AI provider closed the connection before it answered. The request may have been processed.',
    { cause },
  )
