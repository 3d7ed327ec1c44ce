// Describes the container of an instance, with no more privileges than an app needs.
import path from 'node:path'
import type { LogSource } from '../../app-logs/port.ts'
import { AppDidNotStart, type AppLimits, type AppSpec, appPort } from '../port.ts'
import { projectUser } from '../project-user.ts'
import type { OwnImage } from './own-image.ts'

export interface ContainerSettings {
  nodeId: string
  image: string
  /** Such as `runsc`. `undefined` is the default runtime of the engine. */
  runtime: string | undefined
  network: string
  /** Whether to publish the port on the loopback address, since svcd cannot connect to the addresses of containers. */
  publish: boolean
  /** Whether the engine is rootless. Then root in a container is the engine's own user on the machine. */
  isRootless: boolean
  /** Whether the engine gives containers a few users of the machine only (`mapsUsers`). */
  mapsUsers: boolean
  logDriver: LogDriver
}

/** Logs of limited size that the engine keeps, so that svcd can read what it missed during a restart. The best one is first. */
export const logDrivers = {
  local: { 'max-size': '8m', 'max-file': '2', compress: 'false' },
  // The log driver of Podman.
  'k8s-file': { 'max-size': '16m' },
  'json-file': { 'max-size': '8m', 'max-file': '2' },
} as const

export type LogDriver = keyof typeof logDrivers

export const filesAt = '/app'
/** No user of the machine has this id. The user `nobody` may run other programs. */
const sharedUser = 10_001
const MB = 1024 * 1024

export const nodeLabel = 'svc.node'
export const instanceLabel = 'svc.instance'
const projectLabel = 'svc.project'
const deploymentLabel = 'svc.deployment'

export const containerName = (instanceId: string): string => `svc-${instanceId}`

export const labelsOf = (spec: AppSpec, nodeId: string): Record<string, string> => ({
  [nodeLabel]: nodeId,
  [instanceLabel]: spec.instanceId,
  [projectLabel]: spec.projectId,
  [deploymentLabel]: spec.deploymentId,
})

/** Which instance's output a container with these labels wrote. */
export const sourceOf = (labels: Record<string, string>): LogSource => ({
  projectId: labels[projectLabel] ?? '',
  deploymentId: labels[deploymentLabel] ?? '',
  instanceId: labels[instanceLabel] ?? '',
})

/** The body of `POST /containers/create`. */
export function describeContainer(spec: AppSpec, settings: ContainerSettings, own?: OwnImage) {
  const { command, limits } = spec
  const [program, ...args] = command
  const port = `${own?.port ?? appPort}/tcp`
  return {
    Image: settings.image,
    // This replaces the entry point of the platform's image. The app's own image says itself how it starts.
    Entrypoint: own && !spec.replacesCommand ? undefined : [program],
    Cmd: own && !spec.replacesCommand ? undefined : args,
    WorkingDir: own ? undefined : filesAt,
    Healthcheck: noHealthcheck,
    User: userOf(spec.projectId, settings.mapsUsers),
    Env: environmentOf(spec, own?.port),
    Labels: labelsOf(spec, settings.nodeId),
    StopSignal: 'SIGTERM',
    ExposedPorts: { [port]: {} },
    HostConfig: {
      ...(settings.runtime ? { Runtime: settings.runtime } : {}),
      ...confined,
      ...limitsOf(limits),
      Mounts: [
        ...(own
          ? volumesBeside(spec, own)
          : [{ Type: 'bind', Source: spec.filesDir, Target: filesAt, ReadOnly: true }]),
        ...diskMounts(spec),
        ...(spec.sockets ?? []).map(({ dir, at }) => ({
          ...{ Type: 'bind', Source: dir, Target: at, ReadOnly: true },
        })),
      ],
      Tmpfs: scratch(spec),
      NetworkMode: settings.network,
      PortBindings: settings.publish ? { [port]: [{ HostIp: '127.0.0.1', HostPort: '' }] } : {},
      LogConfig: { Type: settings.logDriver, Config: logDrivers[settings.logDriver] },
      RestartPolicy: { Name: 'no' },
    },
  }
}

/** Rootless engines, and those with `userns-remap`, have 65,536 users for their containers. */
export const mapsUsers = (securityOptions: readonly string[] | null = []): boolean =>
  (securityOptions ?? []).some(it => /name=(rootless|userns)/.test(it))

const userIdOf = (projectId: string, isMapped: boolean): number =>
  isMapped ? sharedUser : projectUser(projectId)

/** The kernel counts files that are watched, the memory of pipes and more for each user, so projects share none. */
export const userOf = (projectId: string, isMapped: boolean): string => {
  const id = userIdOf(projectId, isMapped)
  return `${id}:${id}`
}

/** svcd itself sees whether the app accepts connections. */
export const noHealthcheck = { Test: ['NONE'] }

/** The app has no capabilities, cannot gain any, and cannot change the files of the image. */
export const confined = {
  // The engine's init process passes signals on and reaps orphans, so the command need not.
  Init: true,
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
  Privileged: false,
  SecurityOpt: ['no-new-privileges'],
}

export const ulimits = [{ Name: 'core', Soft: 0, Hard: 0 }]

export const limitsOf = ({ memoryBytes, cpus, pids }: AppLimits) => ({
  Memory: memoryBytes,
  // The limit of memory and swap together. The same value means no swap.
  MemorySwap: memoryBytes,
  NanoCpus: Math.round(cpus * 1e9),
  PidsLimit: pids,
  ShmSize: 64 * MB,
  Ulimits: ulimits,
})

/** Writable directories are in memory. They count against the app's memory limit and vanish when it ends. */
function scratch(spec: AppSpec): Record<string, string> {
  const options = `rw,nosuid,nodev,mode=1777,size=${scratchBytes(spec)}`
  return Object.fromEntries(scratchDirsOf(spec).map(dir => [dir, options]))
}

export const scratchDirsOf = ({ scratchDirs }: AppSpec): string[] => [
  '/tmp',
  ...scratchDirs.map(dir => path.posix.join(filesAt, dir)),
]

/** The volumes of the image are in memory, but for one in the place of the disk. */
export const volumesBeside = (spec: AppSpec, { volumes }: OwnImage) =>
  volumes.filter(dir => dir !== spec.disk?.path).map(dir => scratchMount(dir, scratchBytes(spec)))

export const diskMounts = ({ disk }: AppSpec) =>
  disk ? [{ Type: 'bind', Source: disk.dir, Target: disk.path, ReadOnly: false }] : []

/** The app's user owns the files of its disk. Only root can give them to it. */
export function ownerOfDisks(projectId: string, isMapped: boolean): number {
  if (process.getuid?.() !== 0)
    throw new AppDidNotStart(
      'cannot run',
      'With a container engine, a disk needs an svcd that runs as root. Run svcd as root, or set SVCD_RUNNER=process.',
    )
  return userIdOf(projectId, isMapped)
}

/** In memory, like the writable directories of containers. */
export const scratchMount = (dir: string, bytes: number) => ({
  Type: 'tmpfs',
  Target: dir,
  TmpfsOptions: { SizeBytes: bytes, Mode: 0o1777 },
})

export const scratchBytes = ({ limits }: AppSpec): number => Math.floor(limits.memoryBytes / 2)

/** The app's variables, each as `NAME=value`. */
export function environmentOf({ env, disk, instanceId }: AppSpec, port = appPort): string[] {
  const all = {
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    // The servers of some frameworks listen on HOST. An app may set it, but not PORT and HOSTNAME.
    HOST: '0.0.0.0',
    ...(disk && { SVC_DISK: disk.path }),
    ...env,
    PORT: String(port),
    HOSTNAME: '0.0.0.0',
    SVC_INSTANCE_ID: instanceId,
    // Makes the init process signal the whole process group, since a shell does not pass signals on.
    TINI_KILL_PROCESS_GROUP: '1',
  }
  return Object.entries(all).map(([name, value]) => `${name}=${value}`)
}
