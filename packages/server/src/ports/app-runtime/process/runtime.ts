// Apps as child processes of this program: each in a sandbox and a network namespace of its own, within cgroups where
// those can be had. Nothing of the platform's environment, files, processes or network is theirs to see.
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, AppDidNotStart, type AppRuntime, type AppSpec, type RunningApp } from '../port.ts'
import type { Outbound } from '../private-networks.ts'
import { adviceFor, describeExit, notListening } from '../words.ts'
import type { Cage } from './cage.ts'
import { type Cgroups, findCgroups } from './cgroups.ts'
import { Child } from './child.ts'
import { environmentOf } from './environment.ts'
import { launch } from './launch.ts'
import { OpenPlaces } from './open-places.ts'
import type { Place, Places } from './place.ts'
import { end, markedWith } from './process-tree.ts'
import { findRlimits, type Rlimits } from './rlimits.ts'
import { findWall, type Wall, wallAdvice } from './sandbox.ts'
import { WalledPlaces } from './walled-places.ts'

/** Each in another place. */
const attempts = 5

/** What is left of a former program and cannot be ended in this time must not keep the platform from starting. */
const leftoverTries = 1_000
const leftoverPauseMs = 10

const isLinux = process.platform === 'linux'

const refusal = `there is no sandbox for them: ${wallAdvice}, or for code that you trust set SVCD_UNSANDBOXED_APPS=1 and name no loopback address in SVCD_TRUST_PROXY`

export interface ProcessSettings {
  /** False runs apps as where bubblewrap is missing. */
  walls: boolean
  /** Whether apps may run without a sandbox where none can be had. */
  unsandboxed: boolean
  /** False runs apps as where cgroups cannot be changed. */
  cgroups: boolean
  outbound: Outbound
  /** On which this machine serves the public. */
  webPorts: readonly number[]
  /** Directories of the platform. */
  hidden: readonly string[]
}

const defaults: ProcessSettings = {
  ...{ walls: true, unsandboxed: false, cgroups: true },
  ...{ outbound: 'public', webPorts: [80, 443], hidden: [] },
}

interface Found {
  wall: Wall | undefined
  /** `undefined` where apps cannot run. */
  places: Places | undefined
  cgroups: Cgroups | undefined
  /** Where there are no cgroups. */
  rlimits: Rlimits | undefined
}

export class ProcessRuntime implements AppRuntime {
  readonly driver = 'process'
  readonly #nodeId: string
  readonly #found: Found
  readonly #children = new Set<Child>()
  /** By the host of its address. */
  readonly #running = new Map<string, Place>()
  /** Under way. */
  #starts = 0

  private constructor(nodeId: string, found: Found) {
    this.#nodeId = nodeId
    this.#found = found
  }

  static async open(nodeId: string, chosen: Partial<ProcessSettings> = {}): Promise<ProcessRuntime> {
    const settings = { ...defaults, ...chosen }
    const wall = settings.walls && isLinux ? await findWall() : undefined
    const cgroups = isLinux && settings.cgroups ? findCgroups(nodeId) : undefined
    const rlimits = isLinux && !cgroups ? findRlimits(wall) : undefined
    const open = settings.unsandboxed ? new OpenPlaces() : undefined
    const places = wall ? await WalledPlaces.open(wall, settings) : open
    return new ProcessRuntime(nodeId, { wall, places, cgroups, rlimits })
  }

  async check() {
    const { places, cgroups, rlimits } = this.#found
    const limits = cgroups ? 'limits by cgroups' : (rlimits?.words ?? 'no limits')
    const warnings = places ? [...places.warnings] : [`server apps cannot run: ${refusal}`]
    if (!cgroups)
      warnings.push(
        `server apps run with ${limits} alone; of an app as a whole only the memory is checked, twice a second; CPU is not limited, but an app that keeps using more than its share gets the lowest priority: cgroups cannot be changed by this program (with systemd: set Delegate=yes in the unit of svcd; in a container: run svcd as root with a writable /sys/fs/cgroup)`,
      )
    return { words: `${places?.words ?? 'no sandbox'}, ${limits}`, warnings }
  }

  async start(spec: AppSpec, signal?: AbortSignal): Promise<RunningApp> {
    const { places } = this.#found
    if (!places) throw new AppDidNotStart('cannot run', `Server apps cannot run here, since ${refusal}.`)
    this.#starts++
    try {
      for (let attempt = 1; attempt <= attempts; attempt++) {
        signal?.throwIfAborted()
        const place = await this.#take(places, spec)
        const app = await this.#attempt(spec, place, signal).catch(async error => {
          await place.leave()
          throw error
        })
        if (app) return app
        await place.leave()
      }
      throw noPlace()
    } finally {
      // What the next start needs is made when no start competes with it for the processor.
      if (--this.#starts === 0) places.prepare()
    }
  }

  async connect({ host, port }: Address): Promise<Socket> {
    const place = this.#running.get(`${host}:${port}`)
    if (!place) throw new Error(`connect ECONNREFUSED ${host}:${port}, the instance has ended`)
    return await place.connect()
  }

  async endLeftovers(): Promise<string[]> {
    if (!isLinux) return []
    const ended = new Set<string>()
    const cages = this.#found.cgroups?.cages() ?? []
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
    await Promise.all([...this.#running.values()].map(place => place.leave()))
    await this.#found.places?.close()
    this.#found.cgroups?.close()
  }

  async #take(places: Places, { instanceId }: AppSpec): Promise<Place> {
    const place = await places.take(instanceId).catch(cause => {
      throw new AppDidNotStart('cannot run', 'Its network could not be set up.', { cause })
    })
    if (!place) throw noPlace()
    return place
  }

  /** `undefined` if another process took the port. */
  async #attempt(spec: AppSpec, place: Place, signal?: AbortSignal): Promise<RunningApp | undefined> {
    const child = this.#spawn(spec, place)
    place.lost.then(() => child.kill())
    const given = AbortSignal.timeout(spec.readyWithinMs)
    const over = new AbortController()
    child.ended.then(() => over.abort())
    try {
      const either = AbortSignal.any([given, over.signal, ...(signal ? [signal] : [])])
      if (await place.untilAccepted(child, either)) return this.#runningAt(spec, child, place)
      // Another app was faster, or wants to be taken for this one.
      await child.stop(0)
      return undefined
    } catch (error) {
      if (over.signal.aborted) return await this.#exited(child, place)
      const elsewhere = place.otherPorts(child)
      await child.stop(0)
      signal?.throwIfAborted()
      if (!given.aborted) throw error
      throw notListening(spec.readyWithinMs, adviceFor(elsewhere))
    }
  }

  #spawn(spec: AppSpec, place: Place): Child {
    const cage = this.#cage(spec)
    try {
      const child = this.#launch(spec, place, cage)
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

  #launch(spec: AppSpec, { address, walls }: Place, cage: Cage | undefined): Child {
    // By which its processes are known again, whoever finds them.
    const marks = { SVC_INSTANCE_ID: spec.instanceId, SVC_NODE_ID: this.#nodeId }
    const variables = environmentOf(spec, address.port, marks)
    return new Child({
      ...launch({ ...spec, variables, marks, cage, walls, rlimits: this.#found.rlimits }),
      cwd: walls ? '/' : spec.filesDir,
      cage,
      memoryBytes: spec.limits.memoryBytes,
      cpus: spec.limits.cpus,
      isWalled: walls !== undefined,
      output: spec.output,
    })
  }

  /** An earlier attempt at the same instance has left its cgroup by now. */
  #cage({ instanceId, limits }: AppSpec): Cage | undefined {
    try {
      return this.#found.cgroups?.make(instanceId, limits)
    } catch (cause) {
      throw new AppDidNotStart('cannot run', 'Its limits could not be set.', { cause })
    }
  }

  async #exited(child: Child, place: Place): Promise<undefined> {
    const exit = await child.ended
    // Only one who could not open its port is given another; whatever else ends an app would end it again.
    if (await place.isTaken()) return undefined
    throw new AppDidNotStart('exited', `${describeExit(exit)} before it accepted connections.`)
  }

  #runningAt({ instanceId }: AppSpec, child: Child, place: Place): RunningApp {
    const { address } = place
    const key = `${address.host}:${address.port}`
    this.#running.set(key, place)
    const ended = child.ended.then(async exit => {
      this.#running.delete(key)
      await place.leave()
      return exit
    })
    const stop = async (graceMs: number) => {
      await child.stop(graceMs)
      return await ended
    }
    return { instanceId, address, ended, stop }
  }
}

const noPlace = () => new AppDidNotStart('cannot run', 'No free port was found for it.')
