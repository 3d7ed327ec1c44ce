// Runs builds in containers, with the same restrictions and network as apps. A build may write only to its checked-out files and
// its home directory.

import {
  type BuildCommand,
  type BuildExit,
  type BuildSandbox,
  environmentOf,
  NoSandbox,
  shellIn,
} from '../../build-sandbox/port.ts'
import { giveTo, projectUser } from '../project-user.ts'
import { type ContainerSettings, confined, limitsOf, logDrivers } from './container.ts'
import { ContainerHost, type DockerSettings } from './host.ts'

/** Another label than that of apps, since a runner ends all containers with that one when it starts. */
const builderLabel = 'svc.builder'

const filesAt = '/app'
const homeAt = '/home'
/** The default is 1024. Builds get less CPU time than everything that serves visitors. */
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

  /** Also removes the containers that a killed builder of this node left behind. */
  static async open(settings: DockerSettings): Promise<ContainerBuilds> {
    const builds = new ContainerBuilds(settings)
    const left = await builds.#host.labelled(builderLabel)
    await Promise.all(left.map(({ Id }) => builds.#host.remove(Id)))
    return builds
  }

  async check(): Promise<string> {
    return (await this.#host.check()).description
  }

  async prepare(projectId: string, dirs: readonly string[]): Promise<void> {
    if (isRoot) await giveTo(projectUser(projectId), dirs)
  }

  async run(command: BuildCommand, signal: AbortSignal): Promise<BuildExit> {
    signal.throwIfAborted()
    const name = `svc-${command.buildId}-${process.pid}-${++this.#count}`
    const output = (_stream: unknown, chunk: Buffer) => command.output(chunk)
    const { container } = await this.#host
      .launch(name, { node: command.node }, settings => describeBuild(command, settings), output)
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
    // This replaces the image's own entry point.
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
      // Build tools run programs that they write to /tmp.
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${Math.floor(limits.memoryBytes / 2)}` },
      NetworkMode: settings.network,
      LogConfig: { Type: settings.logDriver, Config: logDrivers[settings.logDriver] },
      RestartPolicy: { Name: 'no' },
    },
  }
}

/** The user who owns the files: the project's user if svcd is root, otherwise svcd's own user. */
function userOf(projectId: string, { isRootless }: ContainerSettings): string {
  if (isRoot) return `${projectUser(projectId)}:${projectUser(projectId)}`
  return isRootless ? '0:0' : `${process.getuid?.()}:${process.getgid?.()}`
}
