// Pushes to any node. What was acknowledged is in the history that every node tells, and its page goes live, also if the storage
// failed its build: the platform tries again by itself.
import { WorkingCopy } from '@svc/server/dist/testing/git.js'
import { must } from './values.ts'
import { type Actor, agreed, anyNode, call, type World } from './world.ts'

const name = 'pushed'
/** More than the longest pause before a retry of a build. */
const pushedWithinMs = 240_000

export class Pushes implements Actor {
  readonly #world: World
  readonly #copy: WorkingCopy
  #turn = 0
  #last: string | undefined

  private constructor(world: World, copy: WorkingCopy) {
    this.#world = world
    this.#copy = copy
  }

  static async begin(world: World): Promise<Pushes> {
    await must(call(world, 'POST', '/projects', { body: { name } }))
    const repo = { repo: `ada/${name}`, install_cmd: 'true', build_cmd: 'true', output_dir: '.' }
    await must(call(world, 'POST', `/projects/${name}/repo`, { body: repo }))
    return new Pushes(world, await WorkingCopy.of('http://127.0.0.1'))
  }

  async step(): Promise<void> {
    const commit = await this.#copy.commit({ 'index.html': `push ${++this.#turn}` })
    const isDone = await this.#git('push', this.#remote(anyNode(this.#world)), 'HEAD:main')
    this.#world.ledger.count('pushes', { status: isDone ? 200 : 0, text: '' })
    if (isDone) this.#last = commit
  }

  async settle(): Promise<void> {
    const last = this.#last
    if (last === undefined) return
    const head = await agreed(this.#world, 'the branch', async node => {
      const isFetched = await this.#git('fetch', '--quiet', this.#remote(node), 'main')
      return isFetched ? (await this.#copy.git('rev-parse', 'FETCH_HEAD')).stdout.trim() : undefined
    })
    if (head === undefined) return
    if ((await this.#copy.git('merge-base', '--is-ancestor', last, head)).code !== 0)
      return this.#world.ledger.violated(`the pushed commit ${last} is lost: the branch is at ${head}`)
    const expected = (await this.#copy.git('show', `${head}:index.html`)).stdout
    const read = async (node: number) => {
      const { text } = await this.#world.cluster.ask(node, `${name}.localhost`, '/')
      return text === expected ? text : undefined
    }
    await agreed(this.#world, 'the pushed page', read, pushedWithinMs)
  }

  remove(): Promise<void> {
    return this.#copy.remove()
  }

  #remote(node: number): string {
    const { cluster, token } = this.#world
    return `http://git:${token}@127.0.0.1:${cluster.nodes[node]!.port}/git/ada/${name}.git`
  }

  async #git(...args: string[]): Promise<boolean> {
    const patience = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=20']
    return (await this.#copy.git(...patience, ...args)).code === 0
  }
}
