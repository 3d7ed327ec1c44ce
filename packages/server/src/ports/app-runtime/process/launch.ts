// The command line and the environment that launch an app: it joins its cgroup, enters its sandbox, and then sets the app's own
// variables. These come last, because variables such as LD_PRELOAD would affect the programs that set the sandbox up.
import type { AppLimits } from '../port.ts'
import type { Cgroup } from './cgroup.ts'
import type { NetworkNamespace } from './network/namespace.ts'
import type { Rlimits } from './rlimits.ts'
import type { Inside, Sandbox } from './sandbox.ts'

export interface Launch {
  argv: readonly [string, ...string[]]
  env: Record<string, string>
  /** The data that the command reads from file descriptor 3, 4 and so on. */
  inputs: readonly Buffer[]
}

interface LaunchPlan extends Omit<Inside, 'owner' | 'resolvConf' | 'hidden' | 'ownNetwork'> {
  projectId: string
  /** The whole environment of the app. */
  variables: Record<string, string>
  /** Variables of the platform that the programs that set the sandbox up have too. */
  marks: Record<string, string>
  limits: AppLimits
  cgroup: Cgroup | undefined
  isolation: Isolation | undefined
  rlimits: Rlimits | undefined
}

/** What separates an app from the rest of the machine. */
export interface Isolation {
  sandbox: Sandbox
  namespace: NetworkNamespace
  resolvConf: string
  /** The platform's directories, which the app must not see. */
  hidden: readonly string[]
}

/** A shell script: joins the cgroups by their `cgroup.procs` files, then runs the command. Both are arguments of the script. */
const joinCgroups =
  'ulimit -c 0; while [ "$1" != -- ]; do echo 0 > "$1" || exit 70; shift; done; shift; exec "$@"'

/** The app's variables are passed as `SVC_CARRIED_0='NAME=value'` and so on. No program gives these names a meaning. */
const carried = 'SVC_CARRIED_'

/**
 * A shell script: exports the passed variables whose numbers are its arguments, then runs the command. It uses no variable of
 * its own, since the app may use any name. With `command` the script goes on if a variable is read-only in the shell.
 */
const setVariables = `while [ "$1" != -- ]; do eval "command export \\"\\$${carried}$1\\""; unset "${carried}$1"; shift; done; shift; exec "$@"`

export function launch(plan: LaunchPlan): Launch {
  const pairs = Object.entries(plan.variables).map(([name, value]) => `${name}=${value}`)
  const numbers = pairs.map((_, i) => String(i))
  const withVariables = ['/bin/sh', '-c', setVariables, 'sh', ...numbers, '--', ...plan.command]
  const command = plan.rlimits ? plan.rlimits.around(withVariables, plan.limits) : withVariables
  const { isolation } = plan
  const inside = isolation && { ...plan, ...isolation, owner: plan.projectId, command }
  const sandboxed = inside ? inside.namespace.around(inside.sandbox.around(inside)) : command
  return {
    argv: ['/bin/sh', '-c', joinCgroups, 'sh', ...(plan.cgroup?.procsFiles ?? []), '--', ...sandboxed],
    env: { ...plan.marks, ...Object.fromEntries(pairs.map((pair, i) => [`${carried}${i}`, pair])) },
    inputs: inside?.sandbox.inputs(inside) ?? [],
  }
}
