// An instance as a container: as little as an app needs, and nothing that could be left out.
import path from 'node:path'
import { type AppLimits, type AppSpec, appPort } from '../port.ts'

export interface ContainerSettings {
  nodeId: string
  image: string
  /** Such as `runsc`; the engine's own where none is given. */
  runtime: string | undefined
  network: string
  /** Whether the port is published on this machine's loopback, where containers cannot be reached by their addresses. */
  publish: boolean
  /** Whether root in a container is the user of the engine on this machine. */
  isRootless: boolean
  logDriver: LogDriver
}

/** Kept by the engine, within bounds, so that a platform that restarts can read what it missed. The best one first. */
export const logDrivers = {
  local: { 'max-size': '8m', 'max-file': '2', compress: 'false' },
  // Podman's.
  'k8s-file': { 'max-size': '16m' },
  'json-file': { 'max-size': '8m', 'max-file': '2' },
} as const

export type LogDriver = keyof typeof logDrivers

const filesAt = '/app'
/** Nobody's on the machine, so that nothing is shared with whoever runs as `nobody`. */
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
    // The image's own entry point is not asked.
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

/** No rights of root, none to be had, and no file of the image that can be changed. */
export const confined = {
  // The first process hands on signals and picks up orphans, so that the command need not.
  Init: true,
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
  Privileged: false,
  SecurityOpt: ['no-new-privileges'],
}

export const limitsOf = ({ memoryBytes, cpus, pids }: AppLimits) => ({
  Memory: memoryBytes,
  // Together with swap, so that there is none.
  MemorySwap: memoryBytes,
  NanoCpus: Math.round(cpus * 1e9),
  PidsLimit: pids,
  ShmSize: 64 * MB,
  Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
})

/** Writable directories are in memory. They count against the app's memory limit and vanish when it ends. */
function scratch({ scratchDirs, limits }: AppSpec): Record<string, string> {
  const places = ['/tmp', ...scratchDirs.map(dir => path.posix.join(filesAt, dir))]
  const options = `rw,nosuid,nodev,mode=1777,size=${Math.floor(limits.memoryBytes / 2)}`
  return Object.fromEntries(places.map(place => [place, options]))
}

const environmentOf = ({ env, instanceId }: AppSpec): Record<string, string> => ({
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  // What the servers of some frameworks go by; HOSTNAME and PORT are the platform's to set.
  HOST: '0.0.0.0',
  ...env,
  PORT: String(appPort),
  HOSTNAME: '0.0.0.0',
  SVC_INSTANCE_ID: instanceId,
  // For the first process: a shell does not pass a signal on to what it started.
  TINI_KILL_PROCESS_GROUP: '1',
})
