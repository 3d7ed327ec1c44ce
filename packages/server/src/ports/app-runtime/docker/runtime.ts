// Apps as containers of a Docker-compatible engine on this machine, on a network of their own where they cannot reach each other.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { rfc3339 } from '../../../lib/nanoseconds.ts'
import { acceptingHost, behindProxyMs } from '../accepting.ts'
import {
  type Address,
  AppDidNotStart,
  type AppRuntime,
  type AppSpec,
  appPort,
  type Rescue,
  type RunningApp,
  type RuntimeReport,
} from '../port.ts'
import type { Outbound } from '../private-networks.ts'
import { describeExit, notListening } from '../words.ts'
import {
  type ContainerSettings,
  containerName,
  deploymentLabel,
  describeContainer,
  instanceLabel,
  type LogDriver,
  logDrivers,
  nodeLabel,
  projectLabel,
} from './container.ts'
import { Engine, EngineError, isConflict, isMissing } from './engine.ts'
import { applyRules, networkRules } from './firewall.ts'
import { nanosOf } from './frames.ts'
import { readOutput } from './output.ts'
import { Container } from './running.ts'

/** Its loopback address is its own: whoever listens there alone is reached by nobody. */
const advice =
  'Let it listen on the port in the variable PORT and on the address in HOSTNAME, not on localhost.'

/** Starts of one container, and the pause that grows between them. */
const startAttempts = 4
const startPauseMs = 100

export interface DockerSettings {
  /** Of the engine: `unix:///var/run/docker.sock`, `tcp://…`. */
  host: string
  nodeId: string
  image: string
  runtime: string | undefined
  /** The network of the apps, and of its bridge; made where it is missing. */
  network: string
  /** What apps may connect to. */
  outbound: Outbound
  /** On which this machine serves the public. */
  webPorts: readonly number[]
}

interface Leftover {
  Id: string
  Labels: Record<string, string>
}

interface EngineInfo {
  ServerVersion: string
  DefaultRuntime?: string
  Runtimes?: Record<string, unknown>
  SecurityOptions?: string[] | null
  MemoryLimit?: boolean
  PidsLimit?: boolean
  Plugins?: { Log?: string[] | null }
}

export class DockerRuntime implements AppRuntime {
  readonly driver = 'docker'
  readonly #settings: DockerSettings
  readonly #engine: Engine
  readonly #running = new Set<Container>()
  /** What was found when it was last looked for. */
  #ready: Promise<ContainerSettings> | undefined
  #firewallProblem: string | undefined

  constructor(settings: DockerSettings) {
    this.#settings = settings
    this.#engine = new Engine(settings.host)
  }

  async check(): Promise<RuntimeReport> {
    const info = await this.#info()
    const { image, network, runtime = info.DefaultRuntime ?? 'the default runtime' } = this.#settings
    if (info.Runtimes && !(runtime in info.Runtimes))
      throw new Error(
        `the engine has no runtime '${runtime}'; it has ${Object.keys(info.Runtimes).join(', ')}`,
      )
    await this.#prepared()
    const warnings = this.#firewallProblem === undefined ? [] : [unguarded(this.#firewallProblem)]
    if (info.MemoryLimit === false || info.PidsLimit === false)
      warnings.push('the container engine cannot limit memory or processes: enable these cgroups')
    return {
      words: `containers of ${image} by engine ${info.ServerVersion}, ${runtime}, network ${network}`,
      warnings,
    }
  }

  async start(spec: AppSpec, signal?: AbortSignal): Promise<RunningApp> {
    signal?.throwIfAborted()
    const { container, settings } = await this.#launch(spec)
    const given = AbortSignal.timeout(spec.readyWithinMs)
    const over = new AbortController()
    container.ended.then(() => over.abort())
    try {
      const either = AbortSignal.any([given, over.signal, ...(signal ? [signal] : [])])
      const address = await reachable(container, settings, either)
      return { instanceId: spec.instanceId, address, ended: container.ended, stop: ms => container.stop(ms) }
    } catch (error) {
      const isOver = over.signal.aborted
      const exit = await container.stop(0)
      signal?.throwIfAborted()
      if (isOver) throw new AppDidNotStart('exited', `${describeExit(exit)} before it accepted connections.`)
      if (!given.aborted) throw error
      throw notListening(spec.readyWithinMs, advice)
    }
  }

  async connect(address: Address): Promise<Socket> {
    return connect({ ...address, noDelay: true })
  }

  async endLeftovers(rescue?: Rescue): Promise<string[]> {
    const filters = encodeURIComponent(JSON.stringify({ label: [`${nodeLabel}=${this.#settings.nodeId}`] }))
    const left = await this.#engine.call<Leftover[]>('GET', `/containers/json?all=1&filters=${filters}`)
    await Promise.all(left.map(container => this.#endLeftover(container, rescue)))
    return left.map(({ Labels }) => Labels[instanceLabel] ?? '')
  }

  async #endLeftover({ Id, Labels }: Leftover, rescue: Rescue | undefined): Promise<void> {
    await this.#engine.call('POST', `/containers/${Id}/kill`).catch(unlessGone)
    // Lines that cannot be had must not keep the platform from starting.
    if (rescue) await this.#rescue(Id, Labels, rescue).catch(() => undefined)
    await this.#remove(Id)
  }

  async #rescue(id: string, labels: Record<string, string>, rescue: Rescue): Promise<void> {
    const { after, sink } = await rescue({
      projectId: labels[projectLabel] ?? '',
      deploymentId: labels[deploymentLabel] ?? '',
      instanceId: labels[instanceLabel] ?? '',
    })
    try {
      const range = { after: after === 0n ? '' : rfc3339(after), follow: false }
      for await (const frames of readOutput(this.#engine, id, range))
        for (const { stream, content, at } of frames) sink.write(stream, content, nanosOf(at))
    } finally {
      await sink.close()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map(container => container.stop(0)))
  }

  async #launch(spec: AppSpec) {
    try {
      return await this.#tryToLaunch(spec, await this.#prepared()).catch(async (error: unknown) => {
        // Somebody has tidied up, and the image or the network went with it.
        if (!isMissing(error)) throw error
        this.#ready = undefined
        return await this.#tryToLaunch(spec, await this.#prepared())
      })
    } catch (cause) {
      if (!(cause instanceof EngineError)) throw cause
      throw new AppDidNotStart('cannot run', `The app could not be started: ${cause.message}`, { cause })
    }
  }

  async #tryToLaunch(spec: AppSpec, settings: ContainerSettings) {
    const path = `/containers/create?name=${containerName(spec.instanceId)}`
    const { Id } = await this.#engine.call<{ Id: string }>('POST', path, describeContainer(spec, settings))
    await this.#startContainer(Id).catch(async (error: unknown) => {
      await this.#remove(Id)
      throw error
    })
    const container = new Container(this.#engine, Id, spec.output)
    this.#running.add(container)
    container.ended.then(() => this.#running.delete(container))
    return { container, settings }
  }

  /** The engine's own first process fails now and then under load, before anything of the app runs: then again. */
  async #startContainer(id: string): Promise<void> {
    for (let attempt = 1; ; attempt++)
      try {
        await this.#engine.call('POST', `/containers/${id}/start`)
        return
      } catch (error) {
        if (attempt === startAttempts || !isOfEngineInit(error)) throw error
        await sleep(attempt * startPauseMs)
      }
  }

  async #remove(id: string): Promise<void> {
    await this.#engine.call('DELETE', `/containers/${id}?force=1&v=1`).catch(unlessGone)
  }

  /** The image and the network are looked for once; what failed is tried again by the next start. */
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
    await this.#ensureImage(image)
    await this.#ensureNetwork(network)
    this.#firewallProblem = await this.#guardNetwork(network)
    // The addresses of containers are this machine's own only where the engine runs on it as root.
    const publish =
      process.platform !== 'linux' || (SecurityOptions ?? []).some(it => it.includes('rootless'))
    const known = Object.keys(logDrivers) as LogDriver[]
    const logDriver = known.find(name => Plugins?.Log?.includes(name)) ?? 'json-file'
    return { nodeId, image, runtime, network, publish, logDriver }
  }

  #info(): Promise<EngineInfo> {
    return this.#engine.call<EngineInfo>('GET', '/info')
  }

  async #ensureImage(image: string): Promise<void> {
    const path = `/images/${encodeURIComponent(image)}/json`
    const isHere = () =>
      this.#engine.call('GET', path).then(
        () => true,
        (error: unknown) => {
          if (isMissing(error)) return false
          throw error
        },
      )
    if (await isHere()) return
    // Its progress is not worth telling; that it went wrong is in there too, so the image itself is asked for.
    const pulling = await this.#engine.stream('POST', `/images/create?fromImage=${encodeURIComponent(image)}`)
    for await (const _ of pulling);
    if (!(await isHere())) throw new Error(`the image ${image} could not be pulled; see SVCD_RUNTIME_IMAGE`)
  }

  async #ensureNetwork(name: string): Promise<void> {
    try {
      const path = `/networks/${encodeURIComponent(name)}`
      const { Internal } = await this.#engine.call<{ Internal?: boolean }>('GET', path)
      if (Boolean(Internal) !== (this.#settings.outbound === 'off'))
        throw new Error(
          `the network '${name}' was made ${Internal ? 'without' : 'with'} a way out, and SVCD_APP_OUTBOUND says otherwise: remove it (docker network rm ${name}), and it is made anew`,
        )
    } catch (error) {
      if (!isMissing(error)) throw error
      await this.#engine.call('POST', '/networks/create', this.#network(name)).catch((error: unknown) => {
        if (!isConflict(error)) throw error
      })
    }
  }

  /** Answers why it cannot be guarded. */
  async #guardNetwork(name: string): Promise<string | undefined> {
    const { outbound, webPorts } = this.#settings
    if (outbound === 'on') return undefined
    return await applyRules(networkRules(name, outbound, webPorts))
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

const unguarded = (problem: string): string =>
  `server apps can reach private addresses and services on this machine's own addresses, since no firewall rules can be set: ${problem}. See docs/server-apps.md for rules to set by hand, or set SVCD_APP_OUTBOUND=on to accept this`

const isOfEngineInit = (error: unknown): boolean =>
  error instanceof EngineError && error.message.includes('/sbin/docker-init')

/** Ended or removed by somebody else, or about to be, is as good. */
function unlessGone(error: unknown): void {
  if (!isMissing(error) && !isConflict(error)) throw error
}

/** Where the app accepts connections, once it does. */
async function reachable(
  container: Container,
  { network, publish }: ContainerSettings,
  signal: AbortSignal,
): Promise<Address> {
  const { Networks, Ports } = (await container.inspect()).NetworkSettings
  if (!publish) {
    const ip = Networks[network]?.IPAddress ?? ''
    return { host: await acceptingHost([ip], appPort, signal), port: appPort }
  }
  const port = Number(Ports[`${appPort}/tcp`]?.[0]?.HostPort)
  return { host: await acceptingHost(['127.0.0.1'], port, signal, behindProxyMs), port, appPort }
}
