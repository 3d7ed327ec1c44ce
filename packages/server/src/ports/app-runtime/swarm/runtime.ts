// Runs apps as services of a Docker swarm, on this machine and on others. svcd speaks to the engine of a manager and connects to
// the apps at ports that their machines publish within the swarm.
import { connect, type Socket } from 'node:net'
import { rfc3339 } from '../../../lib/nanoseconds.ts'
import { acceptingHost, behindProxyMs } from '../accepting.ts'
import { runAttended } from '../attended.ts'
import {
  instanceLabel,
  type LogDriver,
  logDrivers,
  mapsUsers,
  nodeLabel,
  ownerOfDisks,
  sourceOf,
} from '../docker/container.ts'
import { Engine, EngineError, isConflict, isLayerMissing, isMissing } from '../docker/engine.ts'
import { applyRules } from '../docker/firewall.ts'
import type { DockerSettings } from '../docker/host.ts'
import { ensureImage } from '../docker/images.ts'
import { imageFor } from '../docker/node-images.ts'
import { findOwnImage, type OwnImage } from '../docker/own-image.ts'
import { untilEnded, whenReady } from '../docker/starting.ts'
import {
  type Address,
  AppDidNotStart,
  type AppExit,
  type AppRuntime,
  type AppSpec,
  type Attended,
  type Rescue,
  type RunningApp,
  type RuntimeReport,
  appPort as usualPort,
} from '../port.ts'
import { findAddress, findSwarm, hostnameOf, type Swarm } from './machines.ts'
import { ensureNetwork, swarmRules } from './network.ts'
import { Service } from './running.ts'
import { describeService } from './service.ts'
import { type Task, TaskWatch } from './tasks.ts'

/** `host` is the URL of a manager's engine, and `network` also names the bridge on each machine. */
export type SwarmSettings = DockerSettings

interface EngineInfo {
  ServerVersion: string
  DefaultRuntime?: string
  SecurityOptions?: string[] | null
  Plugins?: { Log?: string[] | null }
}

interface ServiceEntry {
  ID: string
  Spec: { Labels: Record<string, string> }
}

/** The first minor version of the API in which a service can refuse new privileges. */
const refusesPrivileges = 44
/** The first minor version of the API in which a service can do without swap. */
const limitsSwap = 52

/** The engine of a machine failed to start a container, and may succeed the next time. */
class EngineDidNotStart extends AppDidNotStart {}

/** How often a container is started, on the same machine or on another one, if engines fail to start it. */
const startAttempts = 5

/**
 * Whether the engine failed after it had accepted the container. Docker 20.10 on a busy machine now and then runs a container
 * without its root file system, or before a layer of it is mounted. A program that is missing stays missing.
 */
const mayWorkNextTime = (problem: string): boolean =>
  isLayerMissing(problem) ||
  (problem.startsWith('starting container failed') && !/executable file not found|no such file/.test(problem))

export class SwarmRuntime implements AppRuntime {
  readonly driver = 'swarm'
  readonly #settings: SwarmSettings
  readonly #engine: Engine
  readonly #watch: TaskWatch
  readonly #running = new Set<Service>()

  constructor(settings: SwarmSettings) {
    this.#settings = settings
    this.#engine = new Engine(settings.host)
    this.#watch = new TaskWatch(this.#engine, settings.nodeId)
  }

  async check(): Promise<RuntimeReport> {
    const info = await this.#info()
    const { image, runtime, outbound, network } = this.#settings
    if (runtime && runtime !== info.DefaultRuntime)
      throw new Error(
        `services of a swarm always use the default runtime of their engine: make '${runtime}' the "default-runtime" in /etc/docker/daemon.json on each machine, or leave SVCD_DOCKER_RUNTIME out`,
      )
    const swarm = await this.#prepare()
    const problem = await this.#guardNetwork(swarm)
    if (problem && outbound === 'off')
      throw new Error(`SVCD_APP_OUTBOUND=off needs firewall rules, which cannot be set: ${problem}`)
    const warnings: string[] = []
    if (problem) warnings.push(unguarded(problem))
    const refusesAlready = info.SecurityOptions?.some(it => it.includes('no-new-privileges'))
    if ((await this.#engine.minorVersion()) < refusesPrivileges && !refusesAlready)
      warnings.push(
        `engine ${info.ServerVersion} cannot forbid a single service to gain privileges: set "no-new-privileges": true in /etc/docker/daemon.json on each machine, or use Docker 25 or later`,
      )
    if (swarm.count > 1 && (await this.#engine.minorVersion()) < limitsSwap)
      warnings.push(
        `engine ${info.ServerVersion} cannot forbid swap to services on other machines: turn swap off there (swapoff -a), or use Docker 29 or later on all machines`,
      )
    const where = swarm.count === 1 ? '1 machine' : `${swarm.count} machines`
    const description = `services of ${image} on ${where} of a swarm by engine ${info.ServerVersion}, network ${network}`
    return { description, warnings, problems: [] }
  }

  start(spec: AppSpec, signal?: AbortSignal): Promise<RunningApp> {
    return repeated(() => this.#startOnce(spec, signal))
  }

  async #startOnce(spec: AppSpec, signal?: AbortSignal): Promise<RunningApp> {
    signal?.throwIfAborted()
    const swarm = await this.#prepare()
    await this.#guardNetwork(swarm)
    const own = spec.image === undefined ? undefined : await findOwnImage(this.#engine, spec.image)
    const service = await this.#launch(spec, swarm, own)
    const appPort = own?.port ?? usualPort
    try {
      return await whenReady(
        spec,
        service,
        async either => {
          await this.#withoutSwap(spec, swarm, await untilAborted(service.running, either))
          return await this.#reachable(service, swarm, appPort, either)
        },
        signal,
      )
    } catch (error) {
      if (!service.problem || !(error instanceof AppDidNotStart)) throw error
      throw await this.#notStarted('app', service.problem, service.machine, error)
    }
  }

  run(spec: AppSpec, signal: AbortSignal): Promise<AppExit> {
    return repeated(() => this.#runOnce(spec, signal))
  }

  async #runOnce(spec: AppSpec, signal: AbortSignal): Promise<AppExit> {
    signal.throwIfAborted()
    const swarm = await this.#prepare()
    await this.#guardNetwork(swarm)
    const own = spec.image === undefined ? undefined : await findOwnImage(this.#engine, spec.image)
    const service = await this.#launch({ ...spec, replacesCommand: true }, swarm, own)
    const exit = await untilEnded(service, signal)
    if (!service.problem) return exit
    throw await this.#notStarted('command', service.problem, service.machine)
  }

  async #notStarted(
    what: 'app' | 'command',
    problem: string,
    machineId = '',
    cause?: unknown,
  ): Promise<AppDidNotStart> {
    const machine = await hostnameOf(this.#engine, machineId)
    const Problem = mayWorkNextTime(problem) ? EngineDidNotStart : AppDidNotStart
    return new Problem(
      'cannot run',
      `The ${what} could not be started on the machine ${machine}: ${problem}`,
      { cause },
    )
  }

  attend(spec: AppSpec, attended: Attended, signal: AbortSignal): Promise<AppExit> {
    return runAttended(this, spec, attended, signal)
  }

  async diskOwner(projectId: string): Promise<number> {
    return ownerOfDisks(projectId, mapsUsers((await this.#info()).SecurityOptions))
  }

  async connect(address: Address): Promise<Socket> {
    return connect({ ...address, noDelay: true })
  }

  async endLeftovers(rescue?: Rescue): Promise<string[]> {
    const filters = encodeURIComponent(JSON.stringify({ label: [`${nodeLabel}=${this.#settings.nodeId}`] }))
    const left = await this.#engine.call<ServiceEntry[]>('GET', `/services?filters=${filters}`)
    if (left.length === 0) return []
    const { local } = await findSwarm(this.#engine)
    await Promise.all(left.map(entry => this.#endLeftover(entry, local.id, rescue)))
    return left.map(({ Spec }) => Spec.Labels[instanceLabel] ?? '')
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map(service => service.stop(0)))
  }

  async #endLeftover({ ID, Spec }: ServiceEntry, localMachine: string, rescue?: Rescue): Promise<void> {
    // svcd starts even if the lines cannot be stored.
    const kept = await rescue?.(sourceOf(Spec.Labels)).catch(() => undefined)
    const parts = { engine: this.#engine, watch: this.#watch, localMachine }
    const output: AppSpec['output'] = (stream, chunk, at) => kept?.sink.write(stream, chunk, at) ?? true
    const after = kept?.after ? rfc3339(kept.after) : ''
    await new Service(parts, ID, output, after).stop(0)
    await kept?.sink.close().catch(() => undefined)
  }

  async #launch(spec: AppSpec, { local, constraints }: Swarm, own: OwnImage | undefined): Promise<Service> {
    const { nodeId, network } = this.#settings
    const { Plugins, SecurityOptions } = await this.#info()
    const known = Object.keys(logDrivers) as LogDriver[]
    const logDriver = known.find(name => Plugins?.Log?.includes(name)) ?? 'json-file'
    const onlyHere = `node.id==${local.id}`
    const image = own?.id ?? (await this.#imageFor(spec.node, constraints.includes(onlyHere)))
    // No other machine has the image of a Dockerfile, or the files of a disk.
    const where = own || spec.disk ? [onlyHere] : constraints
    const isMapped = mapsUsers(SecurityOptions)
    const settings = { nodeId, image, network, constraints: where, logDriver, mapsUsers: isMapped }
    const body = describeService(spec, settings, own)
    const { ID } = await this.#engine
      .call<{ ID: string }>('POST', '/services/create', body)
      .catch((cause: unknown) => {
        if (!(cause instanceof EngineError)) throw cause
        throw new AppDidNotStart('cannot run', `The app could not be started: ${cause.message}`, { cause })
      })
    const parts = { engine: this.#engine, watch: this.#watch, localMachine: local.id }
    const service = new Service(parts, ID, spec.output)
    this.#running.add(service)
    service.ended.then(() => this.#running.delete(service))
    return service
  }

  /**
   * The name that spares machines a request to the registry before each start: the id of the image on this machine, or its
   * digest, with which another machine pulls the same image once.
   */
  async #imageFor(node: string | undefined, isOnlyHere: boolean): Promise<string> {
    const image = imageFor(this.#settings, node)
    const { Id, RepoDigests } = await ensureImage(this.#engine, image)
    if (isOnlyHere) return Id
    return RepoDigests?.find(digest => digest.startsWith(`${repositoryOf(image)}@`)) ?? image
  }

  /** An older engine gives a service as much swap as memory. svcd can change that on its own machine only. */
  async #withoutSwap({ limits }: AppSpec, { local }: Swarm, { NodeID, Status }: Task): Promise<void> {
    const id = Status.ContainerStatus?.ContainerID
    if (NodeID !== local.id || !id || (await this.#engine.minorVersion()) >= limitsSwap) return
    const { memoryBytes } = limits
    await this.#engine
      .call('POST', `/containers/${id}/update`, { Memory: memoryBytes, MemorySwap: memoryBytes })
      .catch((error: unknown) => {
        // An app that has ended already uses no swap. Its end is reported elsewhere.
        if (!isMissing(error) && !isConflict(error)) throw error
      })
  }

  /** Resolves with the address of the app when it accepts connections. */
  async #reachable(
    service: Service,
    { local }: Swarm,
    appPort: number,
    signal: AbortSignal,
  ): Promise<Address> {
    const task = await untilAborted(service.running, signal)
    const host = await findAddress(this.#engine, task.NodeID ?? '', local)
    const port = task.Status.PortStatus?.Ports?.[0]?.PublishedPort ?? 0
    return { host: await acceptingHost([host], port, signal, behindProxyMs), port, appPort }
  }

  async #prepare(): Promise<Swarm> {
    const swarm = await findSwarm(this.#engine)
    const { network, nodeId, image } = this.#settings
    await ensureNetwork(this.#engine, { network, nodeId, address: swarm.local.address })
    await ensureImage(this.#engine, image)
    return swarm
  }

  /** Again for each app, since a reload of the machine's firewall deletes the rules. Returns why they cannot be set. */
  #guardNetwork({ addresses }: Swarm): Promise<string | undefined> {
    const { network, outbound, webPorts } = this.#settings
    return applyRules(swarmRules({ network, outbound, webPorts, addresses }))
  }

  #info(): Promise<EngineInfo> {
    return this.#engine.call<EngineInfo>('GET', '/info')
  }
}

/** `node` of `node:22-slim`, and `localhost:5000/node` of `localhost:5000/node`. */
function repositoryOf(image: string): string {
  const [name = ''] = image.split('@')
  const tagAt = name.lastIndexOf(':')
  return tagAt > name.lastIndexOf('/') ? name.slice(0, tagAt) : name
}

const unguarded = (problem: string): string =>
  `other machines can connect to server apps without the edge, and server apps can reach private addresses, since no firewall rules can be set: ${problem}. See docs/swarm.md for rules to set by hand`

/** A container that the engine failed to start has not run, so starting another one does nothing twice. */
async function repeated<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await start()
    } catch (error) {
      if (attempt === startAttempts || !(error instanceof EngineDidNotStart)) throw error
    }
}

/** Rejects if the signal fires first. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(value => {
      signal.removeEventListener('abort', abort)
      resolve(value)
    })
  })
}
