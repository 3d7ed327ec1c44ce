// Starts containers with a Docker-compatible engine on this machine, and makes sure that their image and network exist.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AppSpec } from '../port.ts'
import type { Outbound } from '../private-networks.ts'
import { type ContainerSettings, type LogDriver, logDrivers, mapsUsers, nodeLabel } from './container.ts'
import { Engine, EngineError, isConflict, isLayerMissing, isMissing } from './engine.ts'
import { applyRules, deleteStaleTables, networkRules } from './firewall.ts'
import { ensureImage } from './images.ts'
import { imageFor } from './node-images.ts'
import { Container } from './running.ts'

/** The number of attempts to start a container. The pause between two attempts grows. */
const startAttempts = 6
const startPauseMs = 100

export interface DockerSettings {
  /** The URL of the engine: `unix:///var/run/docker.sock`, `tcp://…`. */
  host: string
  nodeId: string
  image: string
  /** Images with other versions of Node, such as `node:24-slim`. */
  nodeImages?: readonly string[]
  runtime: string | undefined
  /** The name of the apps' network and of its bridge. svcd creates the network if it is missing. */
  network: string
  /** What apps may connect to. */
  outbound: Outbound
  /** The ports on which this machine serves sites to the public. */
  webPorts: readonly number[]
}

export interface Labelled {
  Id: string
  Labels: Record<string, string>
}

interface HostReport {
  description: string
  warnings: string[]
  /** Why the firewall rules could not be set, so that containers can reach private addresses. */
  firewallProblem: string | undefined
}

/** The image of a container: one with a version of Node, or the app's own. */
interface From {
  node: string | undefined
  image?: string | undefined
}

/** Returns the body of `POST /containers/create`. */
type Describe = (settings: ContainerSettings) => object

interface EngineInfo {
  ServerVersion: string
  DefaultRuntime?: string
  Runtimes?: Record<string, unknown>
  SecurityOptions?: string[] | null
  MemoryLimit?: boolean
  PidsLimit?: boolean
  Plugins?: { Log?: string[] | null }
}

export class ContainerHost {
  readonly engine: Engine
  readonly #settings: DockerSettings
  readonly #running = new Set<Container>()
  /** The result of the latest `#prepare`. */
  #ready: Promise<ContainerSettings> | undefined
  /** The images besides the standard one that the engine has. */
  readonly #images = new Set<string>()

  constructor(settings: DockerSettings) {
    this.#settings = settings
    this.engine = new Engine(settings.host)
  }

  async mapsUsers(): Promise<boolean> {
    return (await this.#prepared()).mapsUsers
  }

  async check(): Promise<HostReport> {
    const info = await this.#info()
    const { image, network, runtime = info.DefaultRuntime ?? 'the default runtime' } = this.#settings
    if (info.Runtimes && !(runtime in info.Runtimes))
      throw new Error(
        `the engine has no runtime '${runtime}'; it has ${Object.keys(info.Runtimes).join(', ')}`,
      )
    await this.#prepared()
    const firewallProblem = await this.#guardNetwork()
    await deleteStaleTables(() => this.#networks())
    const warnings: string[] = []
    if (info.MemoryLimit === false || info.PidsLimit === false)
      warnings.push('the container engine cannot limit memory or processes: enable these cgroups')
    const description = `containers of ${image} by engine ${info.ServerVersion}, ${runtime}, network ${network}`
    return { description, warnings, firewallProblem }
  }

  /** The network of the apps, with its firewall rules. */
  async guardedNetwork(): Promise<string> {
    const { network } = await this.#prepared()
    await this.#guardNetwork()
    return network
  }

  /** Starts a container with this version of Node, or of its own image, and follows its output until it ends. */
  async launch(name: string, from: From, describe: Describe, output: AppSpec['output']) {
    try {
      return await this.#tryToLaunch(name, from, describe, output)
    } catch (error) {
      // The operator may have removed the image or the network: prepare them again.
      if (!isMissing(error)) throw error
      this.#ready = undefined
      this.#images.clear()
      return await this.#tryToLaunch(name, from, describe, output)
    }
  }

  /** The containers of this node that carry the label. */
  labelled(label: string): Promise<Labelled[]> {
    const filters = encodeURIComponent(JSON.stringify({ label: [`${label}=${this.#settings.nodeId}`] }))
    return this.engine.call<Labelled[]>('GET', `/containers/json?all=1&filters=${filters}`)
  }

  async kill(id: string): Promise<void> {
    await this.engine.call('POST', `/containers/${id}/kill`).catch(unlessGone)
  }

  async remove(id: string): Promise<void> {
    await this.engine.call('DELETE', `/containers/${id}?force=1&v=1`).catch(unlessGone)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map(container => container.stop(0)))
  }

  async #tryToLaunch(name: string, from: From, describe: Describe, output: AppSpec['output']) {
    const settings = { ...(await this.#prepared()), image: from.image ?? (await this.#imageWith(from.node)) }
    // Again for each container, since a reload of the machine's firewall deletes the rules.
    await this.#guardNetwork()
    const id = await this.#startNew(name, describe(settings))
    const container = new Container(this.engine, id, output)
    this.#running.add(container)
    container.ended.then(() => this.#running.delete(container))
    return { container, settings }
  }

  /**
   * Creates a container, starts it and returns its id. Under load the engine sometimes fails to make one. Starting the same
   * container again did not help, so another one takes its place.
   */
  async #startNew(name: string, body: object): Promise<string> {
    for (let attempt = 1; ; attempt++)
      try {
        const { Id } = await this.engine.call<{ Id: string }>('POST', `/containers/create?name=${name}`, body)
        await this.engine.call('POST', `/containers/${Id}/start`)
        return Id
      } catch (error) {
        // Not that of another start.
        if (!isConflict(error)) await this.remove(name)
        if (attempt === startAttempts || !isPassing(error)) throw error
        await sleep(attempt * startPauseMs)
      }
  }

  /** The image with this version of Node. It is pulled when it is first needed. */
  async #imageWith(node: string | undefined): Promise<string> {
    const image = imageFor(this.#settings, node)
    if (image === this.#settings.image || this.#images.has(image)) return image
    await ensureImage(this.engine, image)
    this.#images.add(image)
    return image
  }

  /** Prepares the image and the network once. After a failure the next start tries again. */
  #prepared(): Promise<ContainerSettings> {
    this.#ready ??= this.#prepare().catch(error => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  async #prepare(): Promise<ContainerSettings> {
    const { nodeId, image, runtime, network } = this.#settings
    const { SecurityOptions, Plugins } = await this.#info()
    await ensureImage(this.engine, image)
    await this.#ensureNetwork(network)
    // svcd can connect to the addresses of containers only if the engine runs as root on Linux. Otherwise it publishes ports.
    const isRootless = (SecurityOptions ?? []).some(it => it.includes('rootless'))
    const publish = process.platform !== 'linux' || isRootless
    const known = Object.keys(logDrivers) as LogDriver[]
    const logDriver = known.find(name => Plugins?.Log?.includes(name)) ?? 'json-file'
    return {
      nodeId,
      image,
      runtime,
      network,
      publish,
      isRootless,
      mapsUsers: mapsUsers(SecurityOptions),
      logDriver,
    }
  }

  #info(): Promise<EngineInfo> {
    return this.engine.call<EngineInfo>('GET', '/info')
  }

  async #ensureNetwork(name: string): Promise<void> {
    try {
      const path = `/networks/${encodeURIComponent(name)}`
      const { Internal } = await this.engine.call<{ Internal?: boolean }>('GET', path)
      if (Boolean(Internal) !== (this.#settings.outbound === 'off'))
        throw new Error(
          `the network '${name}' was made ${Internal ? 'without' : 'with'} a way out, and SVCD_APP_OUTBOUND says otherwise: remove it (docker network rm ${name}), and it is made anew`,
        )
    } catch (error) {
      if (!isMissing(error)) throw error
      await this.engine.call('POST', '/networks/create', this.#network(name)).catch((error: unknown) => {
        if (!isConflict(error)) throw error
      })
    }
  }

  async #networks(): Promise<string[]> {
    return (await this.engine.call<{ Name: string }[]>('GET', '/networks')).map(({ Name }) => Name)
  }

  /** Sets the firewall rules of the network, or removes former ones. Returns why they cannot be set. */
  async #guardNetwork(): Promise<string | undefined> {
    const { network, outbound, webPorts } = this.#settings
    const problem = await applyRules(networkRules(network, outbound, webPorts))
    return outbound === 'on' ? undefined : problem
  }

  #network(name: string) {
    return {
      Name: name,
      CheckDuplicate: true,
      Driver: 'bridge',
      Internal: this.#settings.outbound === 'off',
      Options: {
        'com.docker.network.bridge.name': name,
        // Apps cannot reach each other.
        'com.docker.network.bridge.enable_icc': 'false',
      },
      Labels: { [nodeLabel]: this.#settings.nodeId },
    }
  }
}

/** The app's user cannot open the engine's init process in a new container, or a layer of it is not mounted yet. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof EngineError)) return false
  const { message } = error
  return message.includes('/sbin/docker-init') || isLayerMissing(message)
}

/** Ignores the error that the container has ended or is removed already. */
function unlessGone(error: unknown): void {
  if (!isMissing(error) && !isConflict(error)) throw error
}
