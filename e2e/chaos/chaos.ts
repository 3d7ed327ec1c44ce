// Several svcd on one database and one storage, under load, while everything fails that can fail. A ledger says what was
// acknowledged, and checks that nothing of it is lost.
import { Cluster } from './cluster.ts'
import { Crons } from './crons.ts'
import { type FaultName, faults } from './faults.ts'
import { Guards } from './guards.ts'
import { Ledger } from './ledger.ts'
import { Pushes } from './pushes.ts'
import { Deploys, domains, members, Revocations, variables } from './values.ts'
import type { Actor, World } from './world.ts'

const all = 'api,edge,runner,builder,worker'

interface Chaos {
  /** In this order. */
  faults: Iterable<FaultName>
  /** How many changes each actor makes before and during a fault. */
  steps: number
  log(line: string): void
}

export async function runChaos({ faults: names, steps, log }: Chaos): Promise<Ledger> {
  const ledger = new Ledger()
  const cluster = await Cluster.start([all, all, 'edge'])
  try {
    const { machine } = cluster.nodes[0]!
    const world: World = { cluster, ledger, token: await machine.token('ada'), isCalm: true }
    const deploys = await Deploys.begin(world)
    const guards = await Guards.begin(world)
    const pushes = await Pushes.begin(world)
    const actors: Actor[] = [
      deploys,
      guards,
      pushes,
      variables(world),
      domains(world),
      new Revocations(world),
    ]
    actors.push(await members(world, await machine.token('bob')), await Crons.begin(world))
    const load = () => Promise.all(actors.map(actor => times(steps, () => actor.step())))
    let turn = 0
    for (const name of names) {
      const node = turn++ % cluster.nodes.length
      ledger.moment = `before "${name}"`
      await load()
      ledger.moment = `${name} (node ${node})`
      log(ledger.moment)
      world.isCalm = false
      await faults[name].begin(cluster, node)
      await load()
      await faults[name].end(cluster, node)
      await cluster.ready()
      ledger.moment = `after "${name}" (node ${node})`
      for (const actor of actors) await actor.settle()
      world.isCalm = true
    }
    await guards.stop()
    await pushes.remove()
  } catch (error) {
    ledger.violated(String(error))
  } finally {
    await cluster.stop()
  }
  return ledger
}

async function times(count: number, work: () => Promise<void>): Promise<void> {
  for (let i = 0; i < count; i++) await work()
}

/** All faults in a new order each time, until the time is over. */
export function* shuffled(until: number): Generator<FaultName> {
  while (Date.now() < until)
    for (const name of (Object.keys(faults) as FaultName[]).sort(() => Math.random() - 0.5))
      if (Date.now() < until) yield name
}
