// The machines of the swarm: which of them run apps, and at which address each of them is reached.
import { isIPv4 } from 'node:net'
import type { Engine } from '../docker/engine.ts'

/** The operator sets this label on machines that are ready for apps (docs/swarm.md). */
const appsLabel = 'svc.apps'
const isReadyForApps = 'yes'

interface Node {
  ID: string
  Spec: { Labels?: Record<string, string>; Availability: string }
  Description: { Hostname: string }
  Status: { State: string; Addr?: string }
}

export interface Swarm {
  /** The machine whose engine svcd speaks to. */
  local: { id: string; address: string }
  /** The IPv4 addresses of all machines. */
  addresses: string[]
  constraints: string[]
  /** How many machines may run apps. */
  count: number
}

interface SwarmInfo {
  Swarm?: { NodeID?: string; NodeAddr?: string; ControlAvailable?: boolean }
}

/** Throws if the engine does not manage a swarm. */
export async function findSwarm(engine: Engine): Promise<Swarm> {
  const { Swarm: swarm } = await engine.call<SwarmInfo>('GET', '/info')
  if (!swarm?.ControlAvailable || !swarm.NodeID || !swarm.NodeAddr)
    throw new Error(
      'the container engine does not manage a swarm: run `docker swarm init` on this machine, or `docker node promote` for it on a manager',
    )
  if (!isIPv4(swarm.NodeAddr))
    throw new Error(`the swarm knows this machine as ${swarm.NodeAddr}; its machines need IPv4 addresses`)
  const nodes = await engine.call<Node[]>('GET', '/nodes')
  const local = { id: swarm.NodeID, address: swarm.NodeAddr }
  const labelled = nodes.filter(({ Spec }) => Spec.Labels?.[appsLabel] === isReadyForApps)
  const addresses = nodes.map(node => addressOf(node, local)).filter(isIPv4)
  // Machines without the label have neither the files of apps nor the firewall rules.
  return labelled.length > 0
    ? {
        local,
        addresses,
        constraints: [`node.labels.${appsLabel}==${isReadyForApps}`],
        count: labelled.length,
      }
    : { local, addresses, constraints: [`node.id==${local.id}`], count: 1 }
}

export async function findAddress(engine: Engine, id: string, local: Swarm['local']): Promise<string> {
  if (id === local.id) return local.address
  return addressOf(await engine.call<Node>('GET', `/nodes/${id}`), local)
}

export async function isDown(engine: Engine, id: string): Promise<boolean> {
  return (await engine.call<Node>('GET', `/nodes/${id}`)).Status.State === 'down'
}

/** The name of the machine, for messages. */
export async function hostnameOf(engine: Engine, id: string): Promise<string> {
  const node = await engine.call<Node>('GET', `/nodes/${id}`).catch(() => undefined)
  return node?.Description.Hostname ?? id
}

/** A manager may not know its own address, so the engine's own word for the local machine counts. */
const addressOf = ({ ID, Status }: Node, local: Swarm['local']): string =>
  ID === local.id ? local.address : (Status.Addr ?? '')
