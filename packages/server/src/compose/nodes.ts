// Connects this node with the others, with PostgreSQL: passes requests on, and takes those that others pass on.
import { once } from 'node:events'
import { connect as connectTo, isIPv6, type Socket } from 'node:net'
import { secondMs } from '@svc/contract/durations'
import type { Logger } from 'pino'
import { answerFault } from '../api/answer.ts'
import type { Settings } from '../config.ts'
import type { Connect } from '../core/base/apps.ts'
import type { DataDirectory } from '../data-directory.ts'
import { Fault } from '../lib/fault.ts'
import { addressOf, NodeDirectory } from '../nodes/directory.ts'
import { type InnerListener, type InnerServed, openInnerListener } from '../nodes/inner-listener.ts'
import { Passing } from '../nodes/pass-on.ts'
import { connectAcrossNodes } from '../nodes/remote-apps.ts'
import type { NodeAddress } from '../nodes/secure-link.ts'
import type { Store } from '../store/store.ts'
import { version } from '../version.ts'

export interface Nodes {
  passing: Passing
  /** Connects to apps of all nodes. `toOwn` connects to those of this one. */
  connect(toOwn: Connect): Connect
  /** Lets other nodes pass requests on to this one. */
  join(served: InnerServed, roles: readonly string[]): Promise<void>
  /** Other nodes pass nothing on any more. Resolves when the last request is answered. */
  leave(): Promise<void>
  close(): void
}

const drainMs = 8 * secondMs
const lookMs = 5 * secondMs
const loopback = '127.0.0.1'

/** `undefined` with SQLite, which has only one node. */
export function openNodes(
  settings: Settings,
  { keyring, nodeId }: DataDirectory,
  store: Store,
  log: Logger,
): Nodes | undefined {
  const { databaseUrl, nodeAddress, maxConnections } = settings
  if (!databaseUrl) return undefined
  const directory = new NodeDirectory({
    store,
    onError: err => log.warn({ err }, 'could not read or write the list of nodes'),
  })
  const passing = new Passing({
    directory,
    keyring,
    refuse(exchange, fault) {
      exchange.setCommonHeaders()
      answerFault(log, 'none', exchange, fault)
    },
    onError: err => log.warn({ err }, 'another node did not answer a request that was passed on to it'),
  })
  const unknownAddress = (err: unknown): string => {
    log.warn({ err }, 'other nodes cannot reach this one: set SVCD_NODE_ADDRESS to its address')
    return loopback
  }
  let inner: InnerListener | undefined
  return {
    passing,
    connect: toOwn => connectAcrossNodes(toOwn, directory, keyring),
    async join(served, roles) {
      const given = nodeAddress === undefined ? undefined : addressOf(nodeAddress)
      const host = given?.host ?? (await addressTowards(databaseUrl.reveal()).catch(unknownAddress))
      const at = { host, port: given?.port ?? 0 }
      inner = await openInnerListener(at, keyring, served, maxConnections).catch(cause => {
        const words = `Other nodes cannot reach this one at ${inWords(at)}: ${(cause as Error).message}. Set SVCD_NODE_ADDRESS to an address of this machine and a free port.`
        throw new Fault('unavailable', words, { cause })
      })
      const address = inWords({ host: at.host, port: inner.port })
      await directory.join({ node_id: nodeId, address, roles, version })
      log.info({ address }, 'other nodes reach this one here')
    },
    async leave() {
      await directory.leave()
      await inner?.drain(drainMs)
    },
    close() {
      passing.close()
      inner?.close()
    },
  }
}

const inWords = ({ host, port }: NodeAddress): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`

/** The address of this machine in the network of the database, where the other nodes are, too. */
async function addressTowards(databaseUrl: string): Promise<string> {
  const { hostname, port } = new URL(databaseUrl)
  // An address of a unix socket is in the query.
  if (hostname === '') return loopback
  const socket: Socket = connectTo({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 5432),
    signal: AbortSignal.timeout(lookMs),
  })
  try {
    await once(socket, 'connect')
    return socket.localAddress ?? loopback
  } finally {
    socket.destroy()
  }
}
