// Runs apps as child processes of svcd: each in a sandbox and a network namespace of its own, and in a cgroup if svcd may
// make cgroups. An app cannot see the environment, the files, the processes or the network of the platform.
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { runAttended } from '../attended.ts'
import { adviceFor, describeExit, notListening } from '../exit-messages.ts'
import {
  type Address,
  AppDidNotStart,
  type AppExit,
  type AppRuntime,
  type AppSpec,
  type Attended,
  type RunningApp,
} from '../port.ts'
import type { Outbound } from '../private-networks.ts'
import type { Cgroup } from './cgroup.ts'
import { type Cgroups, findCgroups } from './cgroups.ts'
import { Child, untilEnd } from './child.ts'
import type { Endpoint, Endpoints } from './endpoint.ts'
import { environmentOf } from './environment.ts'
import { launch } from './launch.ts'
import { LoopbackEndpoints } from './loopback-endpoints.ts'
import { NamespaceEndpoints } from './namespace-endpoints.ts'
import { askedInstall, type NodeInstall } from './node-installs.ts'
import { end, markedWith } from './process-tree.ts'
import { findRlimits, type Rlimits } from './rlimits.ts'
import { findSandbox, type Sandbox, sandboxAdvice } from './sandbox.ts'
import { usageOf } from './usage.ts'

/** Each attempt to start an app uses another endpoint. */
const attempts = 5

/** svcd starts even if processes of its predecessor are still running after so many attempts to kill them. */
const leftoverTries = 1_000
const leftoverPauseMs = 10

const isLinux = process.platform === 'linux'

const refusal = (): string =>
  `there is no sandbox for them: ${sandboxAdvice()}, or for code that you trust set SVCD_UNSANDBOXED_APPS=1 and name no loopback address in SVCD_TRUST_PROXY`

export interface ProcessSettings {
  /** False acts as if bubblewrap were not installed. */
  bubblewrap: boolean
  /** Whether apps may run without a sandbox if bubblewrap does not work here. */
  unsandboxed: boolean
  /** False acts as if svcd may not make cgroups. */
  cgroups: boolean
  outbound: Outbound
  /** The ports on which this machine serves sites to the public. */
  webPorts: readonly number[]
  /** The platform's directories, which apps must not see. */
  hidden: readonly string[]
  /** The versions of Node that apps can get. */
  nodes: readonly NodeInstall[]
}

const defaults: ProcessSettings = {
  ...{ bubblewrap: true, unsandboxed: false, cgroups: true },
  ...{ outbound: 'public', webPorts: [80, 443], hidden: [], nodes: [] },
}

interface Found {
  sandbox: Sandbox | undefined
  /** `undefined` if apps cannot run here. */
  endpoints: Endpoints | undefined
  cgroups: Cgroups | undefined
  /** Used instead of cgroups if there are none. */
  rlimits: Rlimits | undefined
  nodes: readonly NodeInstall[]
}

export class ProcessRuntime implements AppRuntime {
  readonly driver = 'process'
  readonly #nodeId: string
  readonly #found: Found
  readonly #children = new Set<Child>()
  /** The endpoints of running apps, by `host:port`. */
  readonly #running = new Map<string, Endpoint>()
  /** The number of starts in progress. */
  #starts = 0

  private constructor(nodeId: string, found: Found) {
    this.#nodeId = nodeId
    this.#found = found
  }

  static async open(nodeId: string, chosen: Partial<ProcessSettings> = {}): Promise<ProcessRuntime> {
    const settings = { ...defaults, ...chosen }
    const sandbox = settings.bubblewrap && isLinux ? await findSandbox() : undefined
    const cgroups = isLinux && settings.cgroups ? findCgroups(nodeId) : undefined
    const rlimits = isLinux && !cgroups ? findRlimits(sandbox) : undefined
    const open = settings.unsandboxed ? new LoopbackEndpoints() : undefined
    const endpoints = sandbox ? await NamespaceEndpoints.open(sandbox, settings) : open
    return new ProcessRuntime(nodeId, { sandbox, endpoints, cgroups, rlimits, nodes: settings.nodes })
  }

  async check() {
    const { endpoints, cgroups, rlimits } = this.#found
    const limits = cgroups ? 'limits by cgroups' : (rlimits?.description ?? 'no limits')
    const warnings = [...(endpoints?.warnings ?? [])]
    const problems = endpoints ? [...endpoints.problems] : [`server apps cannot run: ${refusal()}`]
    if (!cgroups)
      warnings.push(
        `server apps run with ${limits} alone; of an app as a whole only the memory is checked, twice a second; CPU is not limited, but an app that keeps using more than its share gets the lowest priority: cgroups cannot be changed by this program (with systemd: set Delegate=yes in the unit of svcd; in a container: run svcd as root with a writable /sys/fs/cgroup)`,
      )
    return { description: `${endpoints?.description ?? 'no sandbox'}, ${limits}`, warnings, problems }
  }

  async start(spec: AppSpec, signal?: AbortSignal): Promise<RunningApp> {
    const { endpoints } = this.#found
    if (!endpoints) throw new AppDidNotStart('cannot run', `Server apps cannot run here, since ${refusal()}.`)
    this.#starts++
    try {
      for (let attempt = 1; attempt <= attempts; attempt++) {
        signal?.throwIfAborted()
        const endpoint = await this.#allocate(endpoints, spec)
        const app = await this.#attempt(spec, endpoint, signal).catch(async error => {
          await endpoint.release()
          throw error
        })
        if (app) return app
        await endpoint.release()
      }
      throw noFreePort()
    } finally {
      // Prepare the next endpoint only now, so that this work does not slow a start down.
      if (--this.#starts === 0) endpoints.prepare()
    }
  }

  async run(spec: AppSpec, signal: AbortSignal): Promise<AppExit> {
    const { endpoints } = this.#found
    if (!endpoints) throw new AppDidNotStart('cannot run', `Server apps cannot run here, since ${refusal()}.`)
    signal.throwIfAborted()
    const endpoint = await this.#allocate(endpoints, spec)
    try {
      const child = this.#spawn(spec, endpoint)
      endpoint.lost.then(() => child.kill())
      const exit = await untilEnd(child, signal)
      requireStarted(child)
      signal.throwIfAborted()
      return exit
    } finally {
      await endpoint.release()
    }
  }

  attend(spec: AppSpec, attended: Attended, signal: AbortSignal): Promise<AppExit> {
    return runAttended(this, spec, attended, signal)
  }

  async diskOwner(projectId: string): Promise<number | undefined> {
    return this.#found.sandbox?.userOf(projectId)
  }

  async connect({ host, port }: Address): Promise<Socket> {
    const endpoint = this.#running.get(`${host}:${port}`)
    if (!endpoint) throw new Error(`connect ECONNREFUSED ${host}:${port}, the instance has ended`)
    return await endpoint.connect()
  }

  async endLeftovers(): Promise<string[]> {
    if (!isLinux) return []
    const ended = new Set<string>()
    const cgroups = this.#found.cgroups?.list() ?? []
    for (let tries = leftoverTries; tries > 0; tries--) {
      const marked = markedWith({ SVC_NODE_ID: this.#nodeId }, 'SVC_INSTANCE_ID')
      const others = marked.filter(({ pid }) => pid !== process.pid)
      const occupied = cgroups.filter(cgroup => cgroup.pids.length > 0)
      if (others.length === 0 && occupied.length === 0) break
      for (const { pid } of others) end(pid)
      for (const cgroup of occupied) cgroup.kill()
      for (const id of [...others.map(it => it.value), ...occupied.map(it => it.instanceId)]) ended.add(id)
      await sleep(leftoverPauseMs)
    }
    for (const cgroup of cgroups) cgroup.remove()
    return [...ended]
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill()
    await Promise.all([...this.#children].map(child => child.ended))
    await Promise.all([...this.#running.values()].map(endpoint => endpoint.release()))
    await this.#found.endpoints?.close()
    this.#found.cgroups?.close()
  }

  async #allocate(endpoints: Endpoints, { instanceId }: AppSpec): Promise<Endpoint> {
    const endpoint = await endpoints.allocate(instanceId).catch(cause => {
      throw new AppDidNotStart('cannot run', 'Its network could not be set up.', { cause })
    })
    if (!endpoint) throw noFreePort()
    return endpoint
  }

  /** `undefined` if another process took the port. */
  async #attempt(spec: AppSpec, endpoint: Endpoint, signal?: AbortSignal): Promise<RunningApp | undefined> {
    const child = this.#spawn(spec, endpoint)
    endpoint.lost.then(() => child.kill())
    const given = AbortSignal.timeout(spec.readyWithinMs)
    const over = new AbortController()
    child.ended.then(() => over.abort())
    try {
      const either = AbortSignal.any([given, over.signal, ...(signal ? [signal] : [])])
      if (await endpoint.untilAccepted(child, either)) return this.#runningAt(spec, child, endpoint)
      // Another program listens on this port, by chance or to receive the requests of this app.
      await child.stop(0)
      return undefined
    } catch (error) {
      if (over.signal.aborted) return await this.#exited(child, endpoint)
      const elsewhere = endpoint.otherPorts(child)
      await child.stop(0)
      signal?.throwIfAborted()
      if (!given.aborted) throw error
      throw notListening(spec.readyWithinMs, adviceFor(elsewhere))
    }
  }

  #spawn(spec: AppSpec, endpoint: Endpoint): Child {
    const cgroup = this.#cgroup(spec)
    try {
      const child = this.#launch(spec, endpoint, cgroup)
      this.#children.add(child)
      child.ended.then(() => this.#children.delete(child))
      return child
    } catch (cause) {
      cgroup?.remove()
      throw cause
    }
  }

  #launch(spec: AppSpec, { address, isolation }: Endpoint, cgroup: Cgroup | undefined): Child {
    // `endLeftovers` finds the processes of an instance by these variables.
    const marks = { SVC_INSTANCE_ID: spec.instanceId, SVC_NODE_ID: this.#nodeId }
    const isSandboxed = isolation !== undefined
    const node = askedInstall(this.#found.nodes, spec.node)
    const variables = environmentOf(spec, address.port, marks, isSandboxed, node)
    return new Child({
      ...launch({ ...spec, node, variables, marks, cgroup, isolation, rlimits: this.#found.rlimits }),
      cwd: isolation ? '/' : spec.filesDir,
      cgroup,
      memoryBytes: spec.limits.memoryBytes,
      cpus: spec.limits.cpus,
      isSandboxed,
      output: spec.output,
    })
  }

  /** Makes the cgroup of an instance. An earlier attempt to start it has removed its own cgroup by now. */
  #cgroup({ instanceId, limits }: AppSpec): Cgroup | undefined {
    try {
      return this.#found.cgroups?.make(instanceId, limits)
    } catch (cause) {
      throw new AppDidNotStart('cannot run', 'Its limits could not be set.', { cause })
    }
  }

  async #exited(child: Child, endpoint: Endpoint): Promise<undefined> {
    const exit = await child.ended
    requireStarted(child)
    // Try another port only if this one was in use. Any other error would happen again.
    if (await endpoint.isTaken()) return undefined
    throw new AppDidNotStart('exited', `${describeExit(exit)} before it accepted connections.`)
  }

  #runningAt({ instanceId }: AppSpec, child: Child, endpoint: Endpoint): RunningApp {
    const { address } = endpoint
    const key = `${address.host}:${address.port}`
    this.#running.set(key, endpoint)
    const ended = child.ended.then(async exit => {
      this.#running.delete(key)
      await endpoint.release()
      return exit
    })
    const stop = async (graceMs: number) => {
      await child.stop(graceMs)
      return await ended
    }
    return { instanceId, address, ended, stop, usage: async () => usageOf(child.pids) }
  }
}

const noFreePort = () => new AppDidNotStart('cannot run', 'No free port was found for it.')

function requireStarted({ startError: cause }: Child): void {
  if (!cause) return
  if (cause.code !== 'E2BIG') throw cause
  const message = 'Its variables are too large together: the system takes about 2 MB of them.'
  throw new AppDidNotStart('cannot run', message, { cause })
}
