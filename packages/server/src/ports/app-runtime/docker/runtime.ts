// Runs apps as containers of a Docker-compatible engine on this machine. On their network the containers cannot reach each other.
import { connect, type Socket } from 'node:net'
import { rfc3339 } from '../../../lib/nanoseconds.ts'
import { acceptingHost, behindProxyMs } from '../accepting.ts'
import { runAttended } from '../attended.ts'
import {
  type Address,
  AppDidNotStart,
  type AppExit,
  type AppRuntime,
  type AppSpec,
  type Attended,
  appPort,
  type Rescue,
  type RunningApp,
  type RuntimeReport,
} from '../port.ts'
import {
  type ContainerSettings,
  containerName,
  describeContainer,
  instanceLabel,
  nodeLabel,
  ownerOfDisks,
  sourceOf,
} from './container.ts'
import { EngineError } from './engine.ts'
import { nanosOf } from './frames.ts'
import { ContainerHost, type DockerSettings, type Labelled } from './host.ts'
import { readOutput } from './output.ts'
import { findOwnImage, type OwnImage } from './own-image.ts'
import type { Container } from './running.ts'
import { untilEnded, whenReady } from './starting.ts'

export class DockerRuntime implements AppRuntime {
  readonly driver = 'docker'
  readonly #host: ContainerHost

  constructor(settings: DockerSettings) {
    this.#host = new ContainerHost(settings)
  }

  async check(): Promise<RuntimeReport> {
    const { description, firewallProblem, warnings } = await this.#host.check()
    return {
      description,
      warnings: firewallProblem ? [unguarded(firewallProblem), ...warnings] : warnings,
      problems: [],
    }
  }

  async start(spec: AppSpec, signal?: AbortSignal): Promise<RunningApp> {
    signal?.throwIfAborted()
    const own = spec.image === undefined ? undefined : await findOwnImage(this.#host.engine, spec.image)
    const { container, settings } = await this.#launch(spec, own)
    const port = own?.port ?? appPort
    return await whenReady(spec, container, either => reachable(container, settings, port, either), signal)
  }

  async run(spec: AppSpec, signal: AbortSignal): Promise<AppExit> {
    signal.throwIfAborted()
    const own = spec.image === undefined ? undefined : await findOwnImage(this.#host.engine, spec.image)
    const { container } = await this.#launch({ ...spec, replacesCommand: true }, own)
    return await untilEnded(container, signal)
  }

  attend(spec: AppSpec, attended: Attended, signal: AbortSignal): Promise<AppExit> {
    return runAttended(this, spec, attended, signal)
  }

  async diskOwner(projectId: string): Promise<number> {
    return ownerOfDisks(projectId, await this.#host.mapsUsers())
  }

  async connect(address: Address): Promise<Socket> {
    return connect({ ...address, noDelay: true })
  }

  async endLeftovers(rescue?: Rescue): Promise<string[]> {
    const left = await this.#host.labelled(nodeLabel)
    await Promise.all(left.map(container => this.#endLeftover(container, rescue)))
    return left.map(({ Labels }) => Labels[instanceLabel] ?? '')
  }

  async #endLeftover({ Id, Labels }: Labelled, rescue: Rescue | undefined): Promise<void> {
    await this.#host.kill(Id)
    // svcd starts even if the lines cannot be read.
    if (rescue) await this.#rescue(Id, Labels, rescue).catch(() => undefined)
    await this.#host.remove(Id)
  }

  async #rescue(id: string, labels: Record<string, string>, rescue: Rescue): Promise<void> {
    const { after, sink } = await rescue(sourceOf(labels))
    try {
      const range = { after: after === 0n ? '' : rfc3339(after), follow: false }
      for await (const frames of readOutput(this.#host.engine, `/containers/${id}`, range))
        for (const { stream, content, at } of frames) sink.write(stream, content, nanosOf(at))
    } finally {
      await sink.close()
    }
  }

  close(): Promise<void> {
    return this.#host.close()
  }

  async #launch(spec: AppSpec, own: OwnImage | undefined) {
    try {
      return await this.#host.launch(
        containerName(spec.instanceId),
        { node: spec.node, image: own?.id },
        settings => describeContainer(spec, settings, own),
        spec.output,
      )
    } catch (cause) {
      if (!(cause instanceof EngineError)) throw cause
      throw new AppDidNotStart('cannot run', `The app could not be started: ${cause.message}`, { cause })
    }
  }
}

const unguarded = (problem: string): string =>
  `server apps can reach private addresses and services on this machine's own addresses, since no firewall rules can be set: ${problem}. See docs/apps.md for rules to set by hand, or set SVCD_APP_OUTBOUND=on to accept this`

/** Resolves with the address of the app when it accepts connections. */
async function reachable(
  container: Container,
  { network, publish }: ContainerSettings,
  appPort: number,
  signal: AbortSignal,
): Promise<Address> {
  const { Networks, Ports } = (await container.inspect()).NetworkSettings
  if (!publish) {
    const ip = Networks[network]?.IPAddress ?? ''
    return { host: await acceptingHost([ip], appPort, signal), port: appPort }
  }
  const port = Number(Ports[`${appPort}/tcp`]?.[0]?.HostPort)
  return { host: await acceptingHost(['127.0.0.1'], port, signal, behindProxyMs), port, appPort }
}
