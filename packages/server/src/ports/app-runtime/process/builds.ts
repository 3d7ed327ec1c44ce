// Runs builds in the same sandbox as apps: each in a network namespace of its own, and in a cgroup if svcd may make cgroups. A
// build may write only to its checked-out files and its home directory.
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
import { giveTo } from '../project-user.ts'
import { type Cgroups, findCgroups } from './cgroups.ts'
import { Child, untilEnd } from './child.ts'
import { insidePath } from './environment.ts'
import { IdleShare } from './idle-share.ts'
import { launch } from './launch.ts'
import { NamespaceEndpoints } from './namespace-endpoints.ts'
import { askedInstall, type NodeInstall } from './node-installs.ts'
import { findRlimits, type Rlimits } from './rlimits.ts'
import { findSandbox, insideDir, insideHomeDir, type Sandbox } from './sandbox.ts'

interface SandboxedBuildsSettings {
  outbound: Outbound
  webPorts: readonly number[]
  /** The platform's directories, which builds must not see. */
  hidden: readonly string[]
  nodes?: readonly NodeInstall[]
}

/** Builds get CPU time after everything that serves visitors: their cgroups are idle. Starving builds get this weight. */
const cpuWeight = 20
/** Runs a command at low CPU and disk priority, which counts most if there are no cgroups. */
const atLowPriority = [
  ...['nice', '-n', '15'],
  ...(programAt('ionice') ? ['ionice', '--class', 'best-effort', '--classdata', '7'] : []),
]

export class SandboxedBuilds implements BuildSandbox {
  readonly machine = thisMachine
  readonly #sandbox: Sandbox
  readonly #endpoints: NamespaceEndpoints
  readonly #cgroups: Cgroups | undefined
  readonly #share: IdleShare | undefined
  readonly #rlimits: Rlimits | undefined
  readonly #nodes: readonly NodeInstall[]

  private constructor(
    sandbox: Sandbox,
    endpoints: NamespaceEndpoints,
    cgroups: Cgroups | undefined,
    nodes: readonly NodeInstall[],
  ) {
    this.#nodes = nodes
    this.#sandbox = sandbox
    this.#endpoints = endpoints
    this.#cgroups = cgroups
    this.#share = cgroups && new IdleShare(cgroups)
    this.#rlimits = cgroups ? undefined : findRlimits(sandbox)
  }

  /** `undefined` if bubblewrap does not work here. */
  static async open(nodeId: string, settings: SandboxedBuildsSettings): Promise<SandboxedBuilds | undefined> {
    const sandbox = process.platform === 'linux' ? await findSandbox() : undefined
    if (!sandbox) return undefined
    const cgroups = findCgroups(`${nodeId}-builds`, { cpuWeight })
    // End the builds that a killed builder of this node left behind.
    for (const cgroup of cgroups?.list() ?? []) {
      cgroup.kill()
      cgroup.remove()
    }
    const endpoints = await NamespaceEndpoints.open(sandbox, settings)
    return new SandboxedBuilds(sandbox, endpoints, cgroups, settings.nodes ?? [])
  }

  async check(): Promise<string> {
    return `${this.#endpoints.description}, ${this.#cgroups ? 'limits by cgroups' : (this.#rlimits?.description ?? 'no limits')}`
  }

  async prepare(projectId: string, dirs: readonly string[]): Promise<void> {
    const user = this.#sandbox.userOf(projectId)
    if (user !== undefined) await giveTo(user, dirs)
  }

  async run(command: BuildCommand, signal: AbortSignal): Promise<BuildExit> {
    signal.throwIfAborted()
    const { buildId, projectId, sourceDir, homeDir, limits } = command
    const node = askedInstall(this.#nodes, command.node)
    const endpoint = await this.#endpoints.allocate(buildId)
    this.#share?.begin()
    try {
      const cgroup = this.#cgroups?.make(buildId, limits)
      const marks = { SVC_BUILD_ID: buildId }
      const child = new Child({
        ...launch({
          ...{ projectId, filesDir: sourceDir, filesAreWritable: true, homeDir, scratchDirs: [], limits },
          ...{ cgroup, marks, isolation: endpoint.isolation, rlimits: this.#rlimits, node },
          variables: { PATH: insidePath(node), ...environmentOf(command, insideHomeDir), ...marks },
          command: [...atLowPriority, ...shellIn(insideDir, command)],
        }),
        ...{ cwd: '/', cgroup, isSandboxed: true, memoryBytes: limits.memoryBytes, cpus: limits.cpus },
        output: (_stream, chunk) => command.output(chunk),
      })
      const exit = await untilEnd(child, signal)
      if (child.startError) throw child.startError
      return exit
    } finally {
      this.#share?.end()
      await endpoint.release()
    }
  }

  async close(): Promise<void> {
    await this.#endpoints.close()
    this.#cgroups?.close()
  }
}
