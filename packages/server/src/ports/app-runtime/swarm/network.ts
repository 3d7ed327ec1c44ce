// The network of the apps: a bridge on each machine, on which apps cannot reach each other. Ports of apps are published on the
// machine's address in the swarm, and firewall rules let only machines of the swarm connect to them.
import { nodeLabel } from '../docker/container.ts'
import { type Engine, isConflict, isMissing } from '../docker/engine.ts'
import { networkRules, tableOf } from '../docker/firewall.ts'
import type { Outbound } from '../private-networks.ts'

/** The swarm takes the options of a bridge only from a network of this name on each machine. */
const configOf = (network: string): string => `${network}-config`

interface NetworkFacts {
  Scope: string
  ConfigFrom?: { Network?: string }
}

/** Creates the network and its options on this machine where they are missing. */
export async function ensureNetwork(
  engine: Engine,
  { network, nodeId, address }: { network: string; nodeId: string; address: string },
): Promise<void> {
  const config = configOf(network)
  await ensure(engine, config, {
    Name: config,
    CheckDuplicate: true,
    ConfigOnly: true,
    Options: {
      'com.docker.network.bridge.name': network,
      // Apps cannot reach each other.
      'com.docker.network.bridge.enable_icc': 'false',
      'com.docker.network.bridge.host_binding_ipv4': address,
    },
    Labels: { [nodeLabel]: nodeId },
  })
  const facts = await ensure(engine, network, {
    Name: network,
    CheckDuplicate: true,
    Driver: 'bridge',
    Scope: 'swarm',
    ConfigFrom: { Network: config },
  })
  if (facts.Scope !== 'swarm' || facts.ConfigFrom?.Network !== config)
    throw new Error(
      `the network '${network}' is not one that svcd made for a swarm: remove it (docker network rm ${network}), or set SVCD_SWARM_NETWORK`,
    )
}

async function ensure(engine: Engine, name: string, body: object): Promise<NetworkFacts> {
  const find = () => engine.call<NetworkFacts>('GET', `/networks/${encodeURIComponent(name)}`)
  try {
    return await find()
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  await engine.call('POST', '/networks/create', body).catch((error: unknown) => {
    if (!isConflict(error)) throw error
  })
  return await find()
}

interface SwarmRules {
  network: string
  outbound: Outbound
  webPorts: readonly number[]
  /** The addresses of all machines of the swarm. */
  addresses: readonly string[]
}

/** The nft rules of a machine that runs apps. They are those for containers, with rules for the ports of apps. */
export function swarmRules({ network, outbound, webPorts, addresses }: SwarmRules): string {
  const machines = addresses.join(', ')
  const toMachines = `
    iifname "${network}" ip daddr { ${machines} } tcp dport { ${webPorts.join(', ')} } accept
    iifname "${network}" ip daddr { ${machines} } drop`
  const outward = { on: '', public: toMachines, off: `\n    iifname "${network}" drop` }[outbound]
  return `${networkRules(network, outbound, webPorts)}
table inet ${tableOf(network)} {
  chain to_apps {
    type filter hook forward priority -10; policy accept;
    ct state established,related accept
    oifname "${network}" ip saddr != { ${machines} } drop
    oifname "${network}" meta nfproto ipv6 drop${outward}
  }
}
`
}
