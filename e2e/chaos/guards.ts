// Visitors without a password, who ask every node without a pause for two sites: one always has a password, the other one has one
// from time to time.
import { setTimeout as sleep } from 'node:timers/promises'
import { deploy, must } from './values.ts'
import { type Actor, answered, anyNode, call, living, type World } from './world.ts'

const secret = 'for members only'
const pauseMs = 20

export class Guards implements Actor {
  readonly #world: World
  /** When the password of the second site was acknowledged. `undefined` from the moment on at which its removal is sent. */
  #closedSince: number | undefined
  #isStopped = false
  readonly #visitors: Promise<void>[]

  private constructor(world: World) {
    this.#world = world
    this.#visitors = ['vault', 'gate'].map(site => this.#visit(site))
  }

  static async begin(world: World): Promise<Guards> {
    for (const name of ['vault', 'gate']) {
      await must(call(world, 'POST', '/projects', { body: { name } }))
      await must(protect(world, name))
      await must(deploy(world, name, secret))
    }
    return new Guards(world)
  }

  /** Opens the second site, and closes it again. */
  async step(): Promise<void> {
    const { ledger } = this.#world
    this.#closedSince = undefined
    const opened = await call(this.#world, 'DELETE', '/projects/gate/password')
    ledger.count('removed passwords', opened)
    // Visitors make the nodes know the open site.
    await sleep(5 * pauseMs)
    const closed = await protect(this.#world, 'gate')
    ledger.count('set passwords', closed)
    // A removal without a known outcome may still be under way.
    if (closed.status === 200 && opened.status === 200) this.#closedSince = performance.now()
    await sleep(5 * pauseMs)
  }

  async settle(): Promise<void> {
    this.#closedSince = undefined
    const { status, text } = await answered(() => protect(this.#world, 'gate'))
    if (status !== 200)
      return this.#world.ledger.violated(`a password is refused when all is well: ${status} ${text}`)
    this.#closedSince = performance.now()
    for (const node of living(this.#world)) for (const site of ['vault', 'gate']) await this.#look(site, node)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#visitors)
  }

  async #visit(site: string): Promise<void> {
    for (; !this.#isStopped; await sleep(pauseMs)) await this.#look(site, anyNode(this.#world))
  }

  async #look(site: string, node: number): Promise<void> {
    const { cluster, ledger } = this.#world
    const [since, asked] = [this.#closedSince, performance.now()]
    const { status, text } = await cluster.ask(node, `${site}.localhost`, '/')
    const isSeen = text.includes(secret)
    const isClosed = site === 'vault' || (since !== undefined && since < asked && since === this.#closedSince)
    if (isSeen && isClosed) {
      const after =
        since === undefined ? '' : `, ${Math.round(asked - since)} ms after its password was acknowledged`
      ledger.violated(`node ${node} showed the guarded page ${site}${after}`)
    }
    ledger.see(`visits of ${site}: ${isSeen ? 'seen' : status}`)
  }
}

const protect = (world: World, name: string) =>
  call(world, 'PUT', `/projects/${name}/password`, { body: { password: 'open sesame' } })
