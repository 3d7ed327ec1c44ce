// Describes the container of an instance, with no more privileges than an app needs.
import path from 'node:path'
import { type AppLimits, type AppSpec, appPort } from '../port.ts'

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

const filesAt = '/app'
/** No user of the machine has this id. The user `nobody` may run other programs. */
const user = 10_001
const MB = 1024 * 1024

export const nodeLabel = 'svc.node'
export const instanceLabel = 'svc.instance'
export const projectLabel = 'svc.project'
export const deploymentLabel = 'svc.deployment'

export const containerName = (instanceId: string): string => `svc-${instanceId}`

/** The body of `POST /containers/create`. */
export function describeContainer(spec: AppSpec, settings: ContainerSettings) {
  const { command, limits } = spec
  const [program, ...args] = command
  const port = `${appPort}/tcp`
  return {
    Image: settings.image,
    // This replaces the image's own entry point.
    Entrypoint: [program],
    Cmd: args,
    WorkingDir: filesAt,
    User: `${user}:${user}`,
    Env: Object.entries(environmentOf(spec)).map(([name, value]) => `${name}=${value}`),
    Labels: {
      [nodeLabel]: settings.nodeId,
      [instanceLabel]: spec.instanceId,
      [projectLabel]: spec.projectId,
      [deploymentLabel]: spec.deploymentId,
    },
    StopSignal: 'SIGTERM',
    ExposedPorts: { [port]: {} },
    HostConfig: {
      ...(settings.runtime ? { Runtime: settings.runtime } : {}),
      ...confined,
      ...limitsOf(limits),
      Mounts: [{ Type: 'bind', Source: spec.filesDir, Target: filesAt, ReadOnly: true }],
      Tmpfs: scratch(spec),
      NetworkMode: settings.network,
      PortBindings: settings.publish ? { [port]: [{ HostIp: '127.0.0.1', HostPort: '' }] } : {},
      LogConfig: { Type: settings.logDriver, Config: logDrivers[settings.logDriver] },
      RestartPolicy: { Name: 'no' },
    },
  }
}

/** The app has no capabilities, cannot gain any, and cannot change the files of the image. */
export const confined = {
  // The engine's init process passes signals on and reaps orphans, so the command need not.
  Init: true,
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
  Privileged: false,
  SecurityOpt: ['no-new-privileges'],
}

export const limitsOf = ({ memoryBytes, cpus, pids }: AppLimits) => ({
  Memory: memoryBytes,
  // The limit of memory and swap together. The same value means no swap.
  MemorySwap: memoryBytes,
  NanoCpus: Math.round(cpus * 1e9),
  PidsLimit: pids,
  ShmSize: 64 * MB,
  Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
})

/** Writable directories are in memory. They count against the app's memory limit and vanish when it ends. */
function scratch({ scratchDirs, limits }: AppSpec): Record<string, string> {
  const dirs = ['/tmp', ...scratchDirs.map(dir => path.posix.join(filesAt, dir))]
  const options = `rw,nosuid,nodev,mode=1777,size=${Math.floor(limits.memoryBytes / 2)}`
  return Object.fromEntries(dirs.map(dir => [dir, options]))
}

const environmentOf = ({ env, instanceId }: AppSpec): Record<string, string> => ({
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  // The servers of some frameworks listen on HOST. An app may set it, but not PORT and HOSTNAME.
  HOST: '0.0.0.0',
  ...env,
  PORT: String(appPort),
  HOSTNAME: '0.0.0.0',
  SVC_INSTANCE_ID: instanceId,
  // Makes the init process signal the whole process group, since a shell does not pass signals on.
  TINI_KILL_PROCESS_GROUP: '1',
})
