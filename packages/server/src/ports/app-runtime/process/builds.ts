// Builds in the sandbox of apps: behind the same wall, in a network namespace of their own, within cgroups where those can be
// had. A build may change its checked-out files and its home directory, and nothing else.
import { giveTo } from '../../../lib/ownership.ts'
import {
  type BuildCommand,
  type BuildExit,
  type BuildSandbox,
  environmentOf,
  shellIn,
  thisMachine,
} from '../../build-sandbox/port.ts'
import type { Outbound } from '../private-networks.ts'
import { programAt } from '../programs.ts'
import { type Cgroups, findCgroups } from './cgroups.ts'
import { Child } from './child.ts'
import { programs } from './environment.ts'
import { IdleShare } from './idle-share.ts'
import { launch } from './launch.ts'
import { findRlimits, type Rlimits } from './rlimits.ts'
import { findWall, insideDir, insideHomeDir, type Wall } from './sandbox.ts'
import { WalledPlaces } from './walled-places.ts'

interface WalledBuildsSettings {
  outbound: Outbound
  webPorts: readonly number[]
  /** Directories of the platform. */
  hidden: readonly string[]
}

/** Builds give way to whatever serves visitors: by idle cgroups, by this weight while they starve, else by niceness. */
const cpuWeight = 20
const giveWay = [
  ...['nice', '-n', '15'],
  ...(programAt('ionice') ? ['ionice', '--class', 'best-effort', '--classdata', '7'] : []),
]

export class WalledBuilds implements BuildSandbox {
  readonly machine = thisMachine
  readonly #wall: Wall
  readonly #places: WalledPlaces
  readonly #cgroups: Cgroups | undefined
  readonly #share: IdleShare | undefined
  readonly #rlimits: Rlimits | undefined

  private constructor(wall: Wall, places: WalledPlaces, cgroups: Cgroups | undefined) {
    this.#wall = wall
    this.#places = places
    this.#cgroups = cgroups
    this.#share = cgroups && new IdleShare(cgroups)
    this.#rlimits = cgroups ? undefined : findRlimits(wall)
  }

  /** `undefined` if there is no sandbox to be had. */
  static async open(nodeId: string, settings: WalledBuildsSettings): Promise<WalledBuilds | undefined> {
    const wall = process.platform === 'linux' ? await findWall() : undefined
    if (!wall) return undefined
    const cgroups = findCgroups(`${nodeId}-builds`, { cpuWeight })
    // What a killed builder of this node left.
    for (const cage of cgroups?.cages() ?? []) {
      cage.kill()
      cage.remove()
    }
    return new WalledBuilds(wall, await WalledPlaces.open(wall, settings), cgroups)
  }

  async check(): Promise<string> {
    return `${this.#places.words}, ${this.#cgroups ? 'limits by cgroups' : (this.#rlimits?.words ?? 'no limits')}`
  }

  async prepare(projectId: string, dirs: readonly string[]): Promise<void> {
    const user = this.#wall.userOf(projectId)
    if (user !== undefined) await giveTo(user, dirs)
  }

  async run(command: BuildCommand, signal: AbortSignal): Promise<BuildExit> {
    signal.throwIfAborted()
    const { buildId, projectId, sourceDir, homeDir, limits } = command
    const place = await this.#places.take(buildId)
    this.#share?.begin()
    try {
      const cage = this.#cgroups?.make(buildId, limits)
      const marks = { SVC_BUILD_ID: buildId }
      const child = new Child({
        ...launch({
          ...{ projectId, filesDir: sourceDir, filesAreWritable: true, homeDir, scratchDirs: [], limits },
          ...{ cage, marks, walls: place.walls, rlimits: this.#rlimits },
          variables: { PATH: programs, ...environmentOf(command, insideHomeDir), ...marks },
          command: [...giveWay, ...shellIn(insideDir, command)],
        }),
        ...{ cwd: '/', cage, isWalled: true, memoryBytes: limits.memoryBytes, cpus: limits.cpus },
        output: (_stream, chunk) => command.output(chunk),
      })
      return await untilEnd(child, signal)
    } finally {
      this.#share?.end()
      await place.leave()
    }
  }

  async close(): Promise<void> {
    await this.#places.close()
    this.#cgroups?.close()
  }
}

/** Ends the build when `signal` aborts. */
async function untilEnd(child: Child, signal: AbortSignal): Promise<BuildExit> {
  const stop = () => child.kill()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    return await child.ended
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
