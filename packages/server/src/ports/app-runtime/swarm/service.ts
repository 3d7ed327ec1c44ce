// Describes the Docker service of an instance: one task, which is never restarted, with no more privileges than an app needs.
import {
  confined,
  containerName,
  diskMounts,
  environmentOf,
  filesAt,
  type LogDriver,
  labelsOf,
  logDrivers,
  noHealthcheck,
  scratchBytes,
  scratchDirsOf,
  scratchMount,
  ulimits,
  userOf,
  volumesBeside,
} from '../docker/container.ts'
import type { OwnImage } from '../docker/own-image.ts'
import { type AppSpec, appPort } from '../port.ts'

interface ServiceSettings {
  nodeId: string
  image: string
  network: string
  /** Which machines of the swarm may run the task, such as `node.labels.svc.apps==yes`. */
  constraints: readonly string[]
  logDriver: LogDriver
  /** Whether the engines give containers a few users of the machine only. */
  mapsUsers: boolean
}

/** The time between SIGTERM and SIGKILL if the swarm stops a task. The swarm cannot change it later. */
const graceNs = 10e9

/** No machine satisfies it. */
const nowhere = 'node.id==none'

/** The body of `POST /services/create`. */
export function describeService(spec: AppSpec, settings: ServiceSettings, own?: OwnImage) {
  return {
    Name: containerName(spec.instanceId),
    Labels: labelsOf(spec, settings.nodeId),
    TaskTemplate: {
      ContainerSpec: {
        Image: settings.image,
        // This replaces the entry point of the platform's image. The app's own image says itself how it starts.
        ...(own && !spec.replacesCommand ? {} : { Command: spec.command }),
        ...(own ? {} : { Dir: filesAt }),
        User: userOf(spec.projectId, settings.mapsUsers),
        Healthcheck: noHealthcheck,
        Env: environmentOf(spec, own?.port).map(literally),
        StopSignal: 'SIGTERM',
        StopGracePeriod: graceNs,
        Init: confined.Init,
        ReadOnly: confined.ReadonlyRootfs,
        CapabilityDrop: confined.CapDrop,
        // Docker since 25 knows this. Older engines ignore it and need `no-new-privileges` in their own settings.
        Privileges: { NoNewPrivileges: true },
        Ulimits: ulimits,
        Mounts: [
          ...(own
            ? []
            : [{ Type: 'bind', Source: literally(spec.filesDir), Target: filesAt, ReadOnly: true }]),
          ...scratchDirsOf(spec).map(dir => scratchMount(dir, scratchBytes(spec))),
          ...(own ? volumesBeside(spec, own) : []),
          ...diskMounts(spec).map(mount => ({ ...mount, Source: literally(mount.Source) })),
        ],
      },
      Resources: {
        Limits: {
          MemoryBytes: spec.limits.memoryBytes,
          NanoCPUs: Math.round(spec.limits.cpus * 1e9),
          Pids: spec.limits.pids,
        },
        // Docker since 29 knows this. For older engines, svcd sets it on the container (`withoutSwap`).
        SwapBytes: 0,
      },
      // svcd itself starts apps again, with a pause after crashes.
      RestartPolicy: { Condition: 'none' },
      Placement: { Constraints: settings.constraints },
      Networks: [{ Target: settings.network }],
      LogDriver: { Name: settings.logDriver, Options: logDrivers[settings.logDriver] },
    },
    Mode: { Replicated: { Replicas: 1 } },
    UpdateConfig: { Parallelism: 1, Order: 'stop-first' },
    EndpointSpec: {
      // No virtual IP address: svcd connects to the port on the machine that runs the task.
      Mode: 'dnsrr',
      Ports: [{ Protocol: 'tcp', TargetPort: own?.port ?? appPort, PublishMode: 'host' }],
    },
  }
}

interface PlacedSpec {
  TaskTemplate: { Placement?: object }
}

/**
 * The service with a constraint that no machine satisfies. The swarm then stops the task and keeps its output and exit code.
 * With no replicas or without the service, the swarm would forget both.
 */
export const movedNowhere = <T extends PlacedSpec>(spec: T): T => ({
  ...spec,
  TaskTemplate: { ...spec.TaskTemplate, Placement: { Constraints: [nowhere] } },
})

/** The swarm expands Go templates in variables and in the sources of mounts. This one expands to the text itself. */
const literally = (text: string): string => text.replaceAll('{{', '{{"{{"}}')
