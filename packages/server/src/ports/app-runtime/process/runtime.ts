// Apps as child processes of this program: in bubblewrap where that is installed, and within cgroups where those can be
// had. Nothing of the platform's own environment, files or processes is theirs to see.
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptingHost, accepts } from '../accepting.ts'
import { AppDidNotStart, type AppRuntime, type AppSpec, type RunningApp } from '../port.ts'
import { adviceFor, describeExit, notListening } from '../words.ts'
import type { Cage } from './cage.ts'
import { type Cgroups, findCgroups } from './cgroups.ts'
import { Child } from './child.ts'
import { FreePorts } from './free-ports.ts'
import { launch } from './launch.ts'
import { end, markedWith, portsOf } from './process-tree.ts'
import { findRlimits, type Rlimits } from './rlimits.ts'
import { findWall, type Wall, wallAdvice } from './sandbox.ts'

const hosts = ['127.0.0.1', '::1']
/** Each with another port. */
const attempts = 5

const programs = [...new Set([path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'])].join(
  ':',
)

/** What is left of a former program and cannot be ended in this time must not keep the platform from starting. */
const leftoverTries = 1_000
const leftoverPauseMs = 10

const isLinux = process.platform === 'linux'

export class ProcessRuntime implements AppRuntime {
  readonly driver = 'process'
  readonly #nodeId: string
  readonly #ports = new FreePorts()
  readonly #children = new Set<Child>()
  #wall: Wall | undefined
  #cgroups: Cgroups | undefined
  /** Where there are no cgroups. */
  #rlimits: Rlimits | undefined

  private constructor(nodeId: string) {
    this.#nodeId = nodeId
  }

  /** With `walls: false` apps run in the open, as where bubblewrap is missing; `cgroups: false` is alike. */
  static async open(nodeId: string, { walls = true, cgroups = true } = {}): Promise<ProcessRuntime> {
    const runtime = new ProcessRuntime(nodeId)
    runtime.#wall = walls ? await findWall() : undefined
    runtime.#cgroups = isLinux && cgroups ? findCgroups(nodeId) : undefined
    runtime.#rlimits = isLinux && !runtime.#cgroups ? findRlimits(runtime.#wall) : undefined
    return runtime
  }

  async check() {
    const limits = this.#cgroups ? 'limits by cgroups' : (this.#rlimits?.words ?? 'no limits')
    const warnings: string[] = []
    if (!this.#wall)
      warnings.push(
        `server apps run WITHOUT a sandbox and can read everything that this program can: run only code that you trust, or ${wallAdvice}`,
      )
    if (!this.#cgroups)
      warnings.push(
        `server apps run with ${limits} alone, none for an app as a whole: cgroups cannot be changed by this program (with systemd: Delegate=yes)`,
      )
    return { words: `${this.#wall?.words ?? 'no sandbox'}, ${limits}`, warnings }
  }

  async start(spec: AppSpec, signal?: AbortSignal): Promise<RunningApp> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const port = await this.#ports.take()
      const app = await this.#attempt(spec, port, signal).catch(error => {
        this.#ports.giveBack(port)
        throw error
      })
      if (app) return app
      this.#ports.giveBack(port)
    }
    throw new AppDidNotStart('cannot run', 'No free port was found for it.')
  }

  async endLeftovers(): Promise<string[]> {
    if (!isLinux) return []
    const ended = new Set<string>()
    const cages = this.#cgroups?.leftovers() ?? []
    for (let tries = leftoverTries; tries > 0; tries--) {
      const marked = markedWith({ SVC_NODE_ID: this.#nodeId }, 'SVC_INSTANCE_ID')
      const others = marked.filter(({ pid }) => pid !== process.pid)
      const caged = cages.filter(cage => cage.pids.length > 0)
      if (others.length === 0 && caged.length === 0) break
      for (const { pid } of others) end(pid)
      for (const cage of caged) cage.kill()
      for (const id of [...others.map(it => it.value), ...caged.map(it => it.instanceId)]) ended.add(id)
      await sleep(leftoverPauseMs)
    }
    for (const cage of cages) cage.remove()
    return [...ended]
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill()
    await Promise.all([...this.#children].map(child => child.ended))
    this.#cgroups?.close()
  }

  /** Undefined where somebody else has taken the port. */
  async #attempt(spec: AppSpec, port: number, signal?: AbortSignal): Promise<RunningApp | undefined> {
    signal?.throwIfAborted()
    const child = this.#spawn(spec, port)
    const given = AbortSignal.timeout(spec.readyWithinMs)
    const over = new AbortController()
    child.ended.then(() => over.abort())
    try {
      const either = AbortSignal.any([given, over.signal, ...(signal ? [signal] : [])])
      const host = await acceptingHost(hosts, port, either)
      if (this.#isListening(child, port)) return this.#running(spec, child, { host, port })
      // Another app was faster, or wants to be taken for this one.
      await child.stop(0)
      return undefined
    } catch (error) {
      if (over.signal.aborted) return await this.#exited(child, port)
      const listening = isLinux ? portsOf(child.pids) : new Set<number>()
      await child.stop(0)
      signal?.throwIfAborted()
      if (!given.aborted) throw error
      const elsewhere = [...listening].filter(other => other !== port)
      throw notListening(spec.readyWithinMs, adviceFor(elsewhere))
    }
  }

  #spawn(spec: AppSpec, port: number): Child {
    const cage = this.#cage(spec)
    try {
      const child = this.#launch(spec, port, cage)
      this.#children.add(child)
      child.ended.then(() => this.#children.delete(child))
      return child
    } catch (cause) {
      cage?.remove()
      if ((cause as NodeJS.ErrnoException).code !== 'E2BIG') throw cause
      const words = 'Its variables are too large together: the system takes about 2 MB of them.'
      throw new AppDidNotStart('cannot run', words, { cause })
    }
  }

  #launch(spec: AppSpec, port: number, cage: Cage | undefined): Child {
    const wall = this.#wall
    const variables = this.#environment(spec, port)
    return new Child({
      ...launch({ ...spec, variables, marks: this.#marks(spec), cage, wall, rlimits: this.#rlimits }),
      cwd: wall ? '/' : spec.filesDir,
      cage,
      isWalled: wall !== undefined,
      output: spec.output,
    })
  }

  /** A former attempt of the same instance has left its cage by now. */
  #cage({ instanceId, limits }: AppSpec): Cage | undefined {
    try {
      return this.#cgroups?.make(instanceId, limits)
    } catch (cause) {
      throw new AppDidNotStart('cannot run', 'Its limits could not be set.', { cause })
    }
  }

  #environment(spec: AppSpec, port: number): Record<string, string> {
    return {
      PATH: programs,
      HOME: '/tmp',
      LANG: 'C.UTF-8',
      // What the servers of some frameworks go by; HOSTNAME and PORT are the platform's to set.
      HOST: '127.0.0.1',
      ...spec.env,
      PORT: String(port),
      HOSTNAME: '127.0.0.1',
      ...this.#marks(spec),
    }
  }

  /** By which its processes are known again, whoever finds them. */
  #marks({ instanceId }: AppSpec): Record<string, string> {
    return { SVC_INSTANCE_ID: instanceId, SVC_NODE_ID: this.#nodeId }
  }

  /** Whoever listens could be anyone on this machine. */
  #isListening(child: Child, port: number): boolean {
    return !isLinux || portsOf(child.pids).has(port)
  }

  async #exited(child: Child, port: number): Promise<undefined> {
    const exit = await child.ended
    // Only one who could not open its port is given another; whatever else ends an app would end it again.
    for (const host of hosts) if (await accepts(host, port)) return undefined
    throw new AppDidNotStart('exited', `${describeExit(exit)} before it accepted connections.`)
  }

  #running({ instanceId }: AppSpec, child: Child, address: { host: string; port: number }): RunningApp {
    child.ended.then(() => this.#ports.giveBack(address.port))
    return { instanceId, address, ended: child.ended, stop: graceMs => child.stop(graceMs) }
  }
}
