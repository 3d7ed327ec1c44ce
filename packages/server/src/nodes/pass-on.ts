// Passes a request on to a node that has the role for it. A request that another node has passed on arrives at the inner
// listener, which answers it or refuses it, so no request goes in circles.
import type { IncomingMessage } from 'node:http'
import { minuteMs } from '@svc/contract/durations'
import { closedEdge, type Edge } from '../edge/edge.ts'
import type { Exchange } from '../edge/exchange.ts'
import { sendPage } from '../edge/pages.ts'
import { AppUnreachable, type Outgoing, StaleConnection, Upstream } from '../edge/proxy/upstream.ts'
import { relay } from '../edge/relay.ts'
import type { Upgrade } from '../edge/upgrades.ts'
import { Fault } from '../lib/fault.ts'
import type { Keyring } from '../lib/seal.ts'
import type { Part } from '../listener.ts'
import type { NodeDirectory, OtherNode } from './directory.ts'
import { connectSecurely } from './secure-link.ts'

/** The node that answers has timeouts of its own. These only end requests of which no node takes care any more. */
const timeouts = { answer: 60 * minuteMs, idle: 10 * minuteMs }

/** A request with such a method and without a body may be sent twice. */
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS'])

interface PassingParts {
  directory: NodeDirectory
  keyring: Keyring
  /** Answers a request to the API that no node took. */
  refuse(exchange: Exchange, fault: Fault): void
  onError(error: unknown): void
}

export class Passing {
  readonly #parts: PassingParts
  readonly #upstream: Upstream

  constructor(parts: PassingParts) {
    this.#parts = parts
    this.#upstream = new Upstream(timeouts, undefined, address => connectSecurely(address, parts.keyring))
  }

  /** Passes requests to the API, the dashboard and so on to a node with the role `api`. */
  readonly toApi: Part = (exchange, upgrade) =>
    relay(
      exchange,
      {
        send: outgoing => this.#send('api', outgoing),
        onFailure: error => this.#parts.refuse(exchange, this.#faultOf(error)),
      },
      upgrade,
    )

  /** Passes requests to sites to a node with the role `edge`. */
  get edge(): Edge {
    return {
      ...closedEdge,
      handle: exchange => this.#toEdge(exchange),
      upgrade: (exchange, upgrade) => this.#toEdge(exchange, upgrade),
    }
  }

  close(): void {
    this.#upstream.close()
  }

  #toEdge(exchange: Exchange, upgrade?: Upgrade): void {
    if (exchange.destination.to === 'unknown') return void closedEdge.handle(exchange)
    relay(
      exchange,
      {
        send: outgoing => this.#send('edge', outgoing),
        onFailure: error => {
          this.#faultOf(error)
          sendPage(exchange, 'unavailable')
        },
      },
      upgrade,
    )
  }

  /** Asks one node after the other. A node that was not reached has received nothing of the request. */
  async #send(role: 'api' | 'edge', outgoing: Outgoing): Promise<IncomingMessage> {
    const { directory } = this.#parts
    const tried = new Set<string>()
    let cause: unknown
    for (const list of [() => directory.withRole(role), () => directory.withRole(role, 'read anew')])
      for (const node of (await list()).filter(({ id }) => !tried.has(id))) {
        try {
          return await this.#sendTo(node, outgoing)
        } catch (error) {
          if (!(error instanceof AppUnreachable) || outgoing.cancellation.isCancelled) throw error
          directory.avoid(node)
          tried.add(node.id)
          cause = error
        }
      }
    throw new Fault('unavailable', `No node with the role ${role} answers. Try again shortly.`, {
      cause,
      retryAfter: 5,
    })
  }

  async #sendTo({ host, port }: OtherNode, outgoing: Outgoing): Promise<IncomingMessage> {
    try {
      return await this.#upstream.send({ host, port }, outgoing)
    } catch (error) {
      const mayRepeat = outgoing.body === undefined && repeatable.has(outgoing.method)
      if (!(error instanceof StaleConnection) || !mayRepeat) throw error
      return await this.#upstream.send({ host, port }, { ...outgoing, onNewConnection: true })
    }
  }

  #faultOf(error: unknown): Fault {
    if (error instanceof Fault) return error
    this.#parts.onError(error)
    return new Fault('unavailable', 'The node that had the request ended before its answer. Try again.', {
      retryAfter: 1,
    })
  }
}
