// Builds in containers: with the limits, the network and the confinement of apps. A build may change its checked-out files and
// its home directory, and nothing else.

import { giveTo } from '../../../lib/ownership.ts'
import {
  type BuildCommand,
  type BuildExit,
  type BuildSandbox,
  environmentOf,
  NoSandbox,
  shellIn,
} from '../../build-sandbox/port.ts'
import { projectUser } from '../project-user.ts'
import { type ContainerSettings, confined, limitsOf, logDrivers } from './container.ts'
import { ContainerHost, type DockerSettings } from './host.ts'

/** Not the label of apps: the runner ends what carries that one when it starts. */
const builderLabel = 'svc.builder'

const filesAt = '/app'
const homeAt = '/home'
/** Beside the usual 1024: builds give way to whatever serves visitors. */
const cpuShares = 205
const isRoot = process.getuid?.() === 0

export class ContainerBuilds implements BuildSandbox {
  readonly machine: string
  readonly #host: ContainerHost
  #count = 0

  private constructor(settings: DockerSettings) {
    this.machine = `${settings.image} ${process.arch}`
    this.#host = new ContainerHost(settings)
  }

  /** Ends what a killed builder of this node left. */
  static async open(settings: DockerSettings): Promise<ContainerBuilds> {
    const builds = new ContainerBuilds(settings)
    const left = await builds.#host.labelled(builderLabel)
    await Promise.all(left.map(({ Id }) => builds.#host.remove(Id)))
    return builds
  }

  async check(): Promise<string> {
    return (await this.#host.check()).words
  }

  async prepare(projectId: string, dirs: readonly string[]): Promise<void> {
    if (isRoot) await giveTo(projectUser(projectId), dirs)
  }

  async run(command: BuildCommand, signal: AbortSignal): Promise<BuildExit> {
    signal.throwIfAborted()
    const name = `svc-${command.buildId}-${process.pid}-${++this.#count}`
    const output = (_stream: unknown, chunk: Buffer) => command.output(chunk)
    const { container } = await this.#host
      .launch(name, settings => describeBuild(command, settings), output)
      .catch((cause: Error) => {
        throw new NoSandbox(`The container engine could not start the build: ${cause.message}`, { cause })
      })
    const stop = () => void container.stop(0)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    try {
      return await container.ended
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  close(): Promise<void> {
    return this.#host.close()
  }
}

/** The body of `POST /containers/create`. */
function describeBuild(command: BuildCommand, settings: ContainerSettings) {
  const { buildId, projectId, sourceDir, homeDir, limits } = command
  const [program, ...args] = shellIn(filesAt, command)
  const env = { ...environmentOf(command, homeAt), SVC_BUILD_ID: buildId, TINI_KILL_PROCESS_GROUP: '1' }
  return {
    Image: settings.image,
    // The image's own entry point is not asked.
    Entrypoint: [program],
    Cmd: args,
    WorkingDir: filesAt,
    User: userOf(projectId, settings),
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    Labels: { [builderLabel]: settings.nodeId },
    HostConfig: {
      ...(settings.runtime ? { Runtime: settings.runtime } : {}),
      ...confined,
      ...limitsOf(limits),
      CpuShares: cpuShares,
      Mounts: [
        { Type: 'bind', Source: sourceDir, Target: filesAt },
        { Type: 'bind', Source: homeDir, Target: homeAt },
      ],
      // Build tools run programs that they put there.
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${Math.floor(limits.memoryBytes / 2)}` },
      NetworkMode: settings.network,
      LogConfig: { Type: settings.logDriver, Config: logDrivers[settings.logDriver] },
      RestartPolicy: { Name: 'no' },
    },
  }
}

/** The user to whom the files belong: the project's where svcd is root, else svcd's own. */
function userOf(projectId: string, { isRootless }: ContainerSettings): string {
  if (isRoot) return `${projectUser(projectId)}:${projectUser(projectId)}`
  return isRootless ? '0:0' : `${process.getuid?.()}:${process.getgid?.()}`
}
