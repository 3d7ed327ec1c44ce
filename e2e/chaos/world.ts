// What all who load a cluster share.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Asked, Cluster } from './cluster.ts'
import { type Ledger, Register } from './ledger.ts'

export interface World {
  cluster: Cluster
  ledger: Ledger
  /** Of the account `ada`. */
  token: string
  /** No fault is under way, and all nodes are ready. */
  isCalm: boolean
}

/** Loads the platform through its front doors. */
export interface Actor {
  /** One change, at any node. */
  step(): Promise<void>
  /** All nodes are ready: checks that nothing acknowledged is lost. */
  settle(): Promise<void>
}

const agreeMs = 60_000

export const living = ({ cluster }: World): number[] =>
  [...cluster.nodes.keys()].filter(index => cluster.nodes[index]!.svcd !== undefined)

export function anyNode(world: World): number {
  const nodes = living(world)
  return nodes[Math.floor(Math.random() * nodes.length)] ?? 0
}

/** A call of the API at any node. */
export const call = (world: World, method: string, path: string, asked: Asked = {}): Promise<Answer> =>
  world.cluster.api(anyNode(world), path, { token: world.token, method, ...asked })

/** What is answered in the end: "try again shortly" is no loss, and a busy machine may take too long for an answer. */
export async function answered(send: () => Promise<Answer>): Promise<Answer> {
  for (const until = Date.now() + agreeMs; ; await sleep(500)) {
    const answer = await send()
    if (![0, 503].includes(answer.status) || Date.now() > until) return answer
  }
}

/** Resolves with what `read` says of all nodes, when they agree. */
export async function agreed(
  world: World,
  what: string,
  read: (node: number) => Promise<string | undefined>,
  withinMs = agreeMs,
): Promise<string | undefined> {
  for (const until = Date.now() + withinMs; ; await sleep(100)) {
    const values = await Promise.all([...world.cluster.nodes.keys()].map(read))
    const [first] = values
    if (first !== undefined && values.every(value => value === first)) return first
    if (Date.now() < until) continue
    world.ledger.violated(`the nodes do not agree about ${what}: ${values.join(', ')}`)
    return undefined
  }
}

/** A value that one writer changes and every node tells. */
export class Value implements Actor {
  readonly #world: World
  readonly #name: string
  readonly #register: Register
  readonly #write: (turn: number) => { value: string; send(): Promise<Answer> }
  readonly #read: (node: number) => Promise<string | undefined>
  #turn = 0

  constructor(
    world: World,
    name: string,
    first: string,
    write: (turn: number) => { value: string; send(): Promise<Answer> },
    read: (node: number) => Promise<string | undefined>,
  ) {
    this.#world = world
    this.#name = name
    this.#register = new Register(name, world.ledger, first)
    this.#write = write
    this.#read = read
  }

  async step(): Promise<void> {
    const { value, send } = this.#write(this.#turn++)
    await this.#register.write(value, send)
    // Who reads what was just acknowledged sees it, at every node.
    if (!this.#world.isCalm || !this.#register.isCertain) return
    for (const node of living(this.#world)) {
      const seen = await this.#read(node)
      if (seen !== undefined) this.#register.check(seen, `node ${node}`)
    }
  }

  async settle(): Promise<void> {
    const seen = await agreed(this.#world, this.#name, this.#read)
    if (seen !== undefined) this.#register.settle(seen)
  }
}
