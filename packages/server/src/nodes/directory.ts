// Which nodes there are, which roles they have, and where they are reached. Each process writes its own row and reads those of
// the others. While the database does not answer, it goes on with what it knew.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { minuteMs, secondMs } from '@svc/contract/durations'
import { forgetNode, listLivingNodes, recordNode } from '../store/platform/nodes.ts'
import type { Store } from '../store/store.ts'
import type { NodeRow } from '../store/tables.ts'
import type { NodeAddress } from './secure-link.ts'

export interface OtherNode extends NodeAddress {
  id: string
  nodeId: string
  roles: readonly string[]
}

interface DirectoryParts {
  store: Store
  onError(error: unknown): void
}

type Self = Pick<NodeRow, 'node_id' | 'address' | 'version'> & { roles: readonly string[] }

const beatMs = 4 * secondMs
/** What was read is good for this long if it names no node that is needed. */
const freshMs = secondMs / 2
const goodbyeMs = 2 * secondMs
/** A node that could not be reached is asked last for this long. */
const avoidedMs = 5 * secondMs
/** For this long, nodes that no longer write their rows are asked if no other one is left: perhaps the database stood still. */
const silentMs = minuteMs

export class NodeDirectory {
  readonly #parts: DirectoryParts
  readonly #id = randomUUID()
  readonly #avoided = new Map<string, number>()
  #self: Self | undefined
  #others: OtherNode[] = []
  readonly #silent = new Map<string, { node: OtherNode; until: number }>()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #turn = 0

  constructor(parts: DirectoryParts) {
    this.#parts = parts
  }

  /** Writes the row of this process from now on. */
  async join(self: Self): Promise<void> {
    this.#self = self
    await this.#beat()
    this.#timer = setInterval(() => void this.#beat(), beatMs).unref()
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer)
    if (!this.#self) return
    this.#self = undefined
    // A row that stays counts as gone soon. So a database that does not answer is not waited for.
    const forgotten = forgetNode(this.#parts.store.db, this.#id).catch(() => undefined)
    await Promise.race([forgotten, sleep(goodbyeMs, undefined, { ref: false })])
  }

  /**
   * Those with the role, in the order in which to ask them. Each call begins with another one. `read anew` also finds nodes that
   * joined since the last look.
   */
  async withRole(role: string, how?: 'read anew'): Promise<OtherNode[]> {
    if (how && performance.now() - this.#readAt > freshMs) await this.#read()
    const found = await this.#find(node => node.roles.includes(role))
    const start = this.#turn++ % Math.max(1, found.length)
    const inTurn = [...found.slice(start), ...found.slice(0, start)]
    const isAvoided = ({ id }: OtherNode) => performance.now() < (this.#avoided.get(id) ?? 0)
    const silent = [...this.#silent.values()].map(({ node }) => node)
    return [
      ...inTurn.filter(node => !isAvoided(node)),
      ...inTurn.filter(isAvoided),
      ...silent.filter(node => node.roles.includes(role)),
    ]
  }

  /** The process that runs the apps of a node. */
  async runnerOf(nodeId: string): Promise<OtherNode | undefined> {
    const [runner] = await this.#find(node => node.nodeId === nodeId && node.roles.includes('runner'))
    return runner
  }

  avoid({ id }: OtherNode): void {
    const now = performance.now()
    for (const [other, until] of this.#avoided) if (until < now) this.#avoided.delete(other)
    this.#avoided.set(id, now + avoidedMs)
  }

  async #find(isWanted: (node: OtherNode) => boolean): Promise<OtherNode[]> {
    const age = performance.now() - this.#readAt
    if (age > beatMs || (age > freshMs && !this.#others.some(isWanted))) await this.#read()
    return this.#others.filter(isWanted)
  }

  async #beat(): Promise<void> {
    const { store, onError } = this.#parts
    try {
      if (this.#self)
        await recordNode(store.db, { ...this.#self, id: this.#id, roles: this.#self.roles.join(',') })
    } catch (error) {
      onError(error)
    }
    await this.#read()
  }

  #read(): Promise<void> {
    this.#reading ??= listLivingNodes(this.#parts.store.db)
      .then(rows => {
        this.#takeOver(rows.filter(row => row.id !== this.#id).map(nodeOf))
      }, this.#parts.onError)
      .finally(() => {
        this.#readAt = performance.now()
        this.#reading = undefined
      })
    return this.#reading
  }

  #takeOver(living: OtherNode[]): void {
    const now = performance.now()
    for (const node of this.#others) this.#silent.set(node.id, { node, until: now + silentMs })
    for (const { id } of living) this.#silent.delete(id)
    for (const [id, { until }] of this.#silent) if (until < now) this.#silent.delete(id)
    this.#others = living
  }
}

function nodeOf({ id, node_id, address, roles }: NodeRow): OtherNode {
  return { id, nodeId: node_id, roles: roles.split(','), ...addressOf(address) }
}

/** Reads `host:port`. An IPv6 address is in brackets. */
export function addressOf(text: string): NodeAddress {
  const colon = text.lastIndexOf(':')
  const host = text.slice(0, colon)
  const isBracketed = host.startsWith('[') && host.endsWith(']')
  return { host: isBracketed ? host.slice(1, -1) : host, port: Number(text.slice(colon + 1)) }
}
