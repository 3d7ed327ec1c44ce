// How an app is launched, as an argv and the environment that goes with it: into its cage, behind its wall, and only
// there with its own variables. Those may steer the loader (LD_PRELOAD) or a shell, so no program of the platform that
// runs before the app may have them.
import type { AppLimits } from '../port.ts'
import type { Cage } from './cage.ts'
import type { NetworkNamespace } from './network/namespace.ts'
import type { Rlimits } from './rlimits.ts'
import type { Wall } from './sandbox.ts'

export interface Launch {
  argv: readonly [string, ...string[]]
  env: Record<string, string>
  /** What it reads from file descriptor 3, 4 and so on. */
  inputs: readonly Buffer[]
}

interface LaunchPlan {
  projectId: string
  filesDir: string
  filesAreWritable?: boolean
  scratchDirs: readonly string[]
  homeDir?: string
  command: readonly string[]
  /** All of the app's environment. */
  variables: Record<string, string>
  /** What of it every program on the way carries, too: all of the platform's own making. */
  marks: Record<string, string>
  limits: AppLimits
  cage: Cage | undefined
  walls: Walls | undefined
  rlimits: Rlimits | undefined
}

export interface Walls {
  wall: Wall
  namespace: NetworkNamespace
  resolvConf: string
  /** Directories of the platform. */
  hidden: readonly string[]
}

/** Enters the cages whose doors are given, then becomes the command; both are arguments, never part of the script. */
const enter = 'ulimit -c 0; while [ "$1" != -- ]; do echo 0 > "$1" || exit 70; shift; done; shift; exec "$@"'

/** Variables on their way, as `NAME=value` under names that mean nothing to anyone. */
const carried = 'SVC_CARRIED_'

/**
 * Takes up the carried variables whose numbers are given, then becomes the command. It uses no variable of its own, since
 * any name may be the app's, and `command` lets it go on where a shell keeps a name to itself.
 */
const dress = `while [ "$1" != -- ]; do eval "command export \\"\\$${carried}$1\\""; unset "${carried}$1"; shift; done; shift; exec "$@"`

export function launch(plan: LaunchPlan): Launch {
  const pairs = Object.entries(plan.variables).map(([name, value]) => `${name}=${value}`)
  const numbers = pairs.map((_, i) => String(i))
  const dressed = ['/bin/sh', '-c', dress, 'sh', ...numbers, '--', ...plan.command]
  const command = plan.rlimits ? plan.rlimits.around(dressed, plan.limits) : dressed
  const { walls } = plan
  const inside = walls && { ...plan, ...walls, owner: plan.projectId, command }
  const walled = inside ? inside.namespace.around(inside.wall.around(inside)) : command
  return {
    argv: ['/bin/sh', '-c', enter, 'sh', ...(plan.cage?.doors ?? []), '--', ...walled],
    env: { ...plan.marks, ...Object.fromEntries(pairs.map((pair, i) => [`${carried}${i}`, pair])) },
    inputs: inside?.wall.inputs(inside) ?? [],
  }
}
