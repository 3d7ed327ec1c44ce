// What changes through the API, and is read at every node.
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import type { Answer } from './cluster.ts'
import { type Actor, answered, anyNode, call, Value, type World } from './world.ts'

const site = 'site'

/** Deploys, and activates earlier deployments. */
export class Deploys implements Actor {
  readonly #world: World
  readonly #page: Value
  /** The pages of deployments that were acknowledged, by id. */
  readonly #made = new Map<string, string>()

  private constructor(world: World) {
    this.#world = world
    const write = (turn: number) => this.#next(turn)
    this.#page = new Value(world, 'the live page', 'page 0', write, async node => {
      const { status, text } = await world.cluster.ask(node, `${site}.localhost`, '/')
      return status === 200 ? text : undefined
    })
  }

  static async begin(world: World): Promise<Deploys> {
    await must(call(world, 'POST', '/projects', { body: { name: site } }))
    await must(deploy(world, site, 'page 0'))
    return new Deploys(world)
  }

  step(): Promise<void> {
    return this.#page.step()
  }

  async settle(): Promise<void> {
    await this.#page.settle()
    for (const id of this.#made.keys()) {
      const path = `/projects/${site}/deployments/${id}`
      const { status, text } = await answered(() => call(this.#world, 'GET', path))
      if (status !== 200) this.#world.ledger.violated(`the deployment ${id} is lost: ${status} ${text}`)
    }
  }

  #next(turn: number) {
    const earlier = [...this.#made][turn % Math.max(1, this.#made.size)]
    if (turn % 3 === 2 && earlier) {
      const [id, value] = earlier
      const path = `/projects/${site}/deployments/${id}/activate`
      return { value, send: () => call(this.#world, 'POST', path) }
    }
    const value = `page ${turn + 1}`
    return { value, send: () => this.#deploy(value) }
  }

  async #deploy(page: string): Promise<Answer> {
    const answer = await deploy(this.#world, site, page)
    if (answer.status === 201) this.#made.set(JSON.parse(answer.text).deployment_id, page)
    return answer
  }
}

export const deploy = (world: World, name: string, page: string): Promise<Answer> =>
  call(world, 'POST', `/projects/${name}/deployments`, {
    headers: { 'content-type': 'application/gzip' },
    body: archiveOf({ 'index.html': page }),
  })

export async function must(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked
  if (answer.status < 200 || answer.status > 299) throw new Error(`${answer.status} ${answer.text}`)
  return answer
}

export function variables(world: World): Value {
  const path = `/projects/${site}/env`
  return new Value(
    world,
    'a variable',
    'none',
    turn => {
      const value = `value ${turn}`
      return { value, send: () => call(world, 'PUT', `${path}/TURN`, { body: { value } }) }
    },
    reading(
      world,
      path,
      ({ env }) => env.find((each: { key: string }) => each.key === 'TURN')?.value ?? 'none',
    ),
  )
}

export function domains(world: World): Value {
  const domain = 'chaos.example.com'
  const path = `/projects/${site}/domains`
  return new Value(
    world,
    'a domain',
    'detached',
    turn =>
      turn % 2 === 0
        ? { value: 'attached', send: () => call(world, 'POST', path, { body: { domain } }) }
        : { value: 'detached', send: () => call(world, 'DELETE', `${path}/${domain}`) },
    reading(world, `/projects/${site}`, ({ domains }) => (domains.length > 0 ? 'attached' : 'detached')),
  )
}

/** The role of `bob` in an org of `ada`. */
export async function members(world: World, bob: string): Promise<Value> {
  await must(call(world, 'POST', '/orgs', { body: { name: 'crew' } }))
  const invite = { email: 'bob@example.com', role: 'member' }
  const { text } = await must(call(world, 'POST', '/orgs/crew/invites', { body: invite }))
  const secret = String(JSON.parse(text).invite_url).split('/').at(-1)
  await must(call(world, 'POST', `/invites/${secret}/accept`, { token: bob }))
  return new Value(
    world,
    'the role of a member',
    'member',
    turn => {
      const role = turn % 2 === 0 ? 'admin' : 'member'
      return { value: role, send: () => call(world, 'PUT', '/orgs/crew/members/bob', { body: { role } }) }
    },
    reading(
      world,
      '/orgs/crew',
      ({ members }) => members.find((each: { login: string }) => each.login === 'bob')?.role,
    ),
  )
}

/** Tokens are made and revoked. A token that was revoked opens nothing, at no node. */
export class Revocations implements Actor {
  readonly #world: World
  #revoked: string[] = []

  constructor(world: World) {
    this.#world = world
  }

  async step(): Promise<void> {
    const made = await call(this.#world, 'POST', '/tokens', { body: { kind: 'cli', label: 'chaos' } })
    this.#world.ledger.count('new tokens', made)
    if (made.status !== 201) return
    const { id, token } = JSON.parse(made.text)
    const { status } = await this.#world.cluster.api(anyNode(this.#world), '/me', { token })
    if (status === 401) this.#world.ledger.violated('a new token is refused')
    const revoked = await call(this.#world, 'DELETE', `/tokens/${id}`)
    this.#world.ledger.count('revoked tokens', revoked)
    if (revoked.status === 200) this.#revoked.push(token)
    await this.#useRevoked()
  }

  settle(): Promise<void> {
    return this.#useRevoked()
  }

  async #useRevoked(): Promise<void> {
    const token = this.#revoked.at(-1)
    if (token === undefined) return
    for (const node of this.#world.cluster.nodes.keys()) {
      const { status } = await this.#world.cluster.api(node, '/me', { token })
      if (status === 200) this.#world.ledger.violated(`a revoked token is taken by node ${node}`)
      if (status === 401) this.#world.ledger.see('a revoked token was refused')
    }
  }
}

/** Reads something from an answer of the API. */
const reading =
  (world: World, path: string, find: (answer: ReturnType<typeof JSON.parse>) => string | undefined) =>
  async (node: number): Promise<string | undefined> => {
    const { status, text } = await world.cluster.api(node, path, { token: world.token })
    return status === 200 ? find(JSON.parse(text)) : undefined
  }
