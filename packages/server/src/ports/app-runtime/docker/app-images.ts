// Builds images with the engine's own builder. It limits memory and CPU, and its containers use the network of the apps; BuildKit,
// which the engine's API also offers, does neither.
import { setTimeout as sleep } from 'node:timers/promises'
import { randomText } from '../../../lib/ids.ts'
import { type AppImage, type AppImages, ImageNotBuilt, type ImageRequest } from '../../app-images/port.ts'
import { buildMessages } from './build-messages.ts'
import { EngineError, isConflict, isLayerMissing, isMissing } from './engine.ts'
import { ContainerHost, type DockerSettings } from './host.ts'
import { commandOf, type ImageInspected, inspectImage } from './own-image.ts'

const repository = 'svc-app'
/** Says which node built an image. Several may share an engine. */
const builtByLabel = 'svc.built-by'
/** The default is 1024. Builds get less CPU time than everything that serves visitors. */
const cpuShares = 205
const cpuPeriod = 100_000
const pauseMs = 50
const attemptsAtMost = 5

export class DockerImages implements AppImages {
  readonly #settings: DockerSettings
  readonly #host: ContainerHost

  constructor(settings: DockerSettings) {
    this.#settings = settings
    this.#host = new ContainerHost(settings)
  }

  async build(request: ImageRequest, signal: AbortSignal): Promise<AppImage> {
    const name = `${repository}:${randomText(32)}`
    const network = await this.#host.guardedNetwork()
    signal.throwIfAborted()
    for (let attempt = 1; ; attempt++)
      try {
        await this.#build(name, network, request, signal)
        break
      } catch (error) {
        if (attempt === attemptsAtMost || !(error instanceof Error) || !mayWorkNextTime(error.message))
          throw error
      }
    const image = await inspectImage(this.#host.engine, name)
    if (!image) throw new ImageNotBuilt('The engine built no image. Its log says more.')
    return { name, sizeBytes: image.Size, command: await this.#commandOf(name, image) }
  }

  async list(): Promise<string[]> {
    const label = `${builtByLabel}=${this.#settings.nodeId}`
    const filters = encodeURIComponent(JSON.stringify({ label: [label], reference: [repository] }))
    const found = await this.#host.engine.call<{ RepoTags?: string[] | null }[]>(
      'GET',
      `/images/json?filters=${filters}`,
    )
    return found.flatMap(({ RepoTags }) => RepoTags ?? []).filter(tag => tag.startsWith(`${repository}:`))
  }

  async remove(name: string): Promise<void> {
    await this.#host.engine.call('DELETE', `/images/${encodeURIComponent(name)}`).catch((error: unknown) => {
      if (!isMissing(error) && !isConflict(error)) throw error
    })
  }

  async #commandOf(name: string, image: ImageInspected): Promise<string[]> {
    const command = commandOf(image)
    if (command.length > 0) return command
    await this.remove(name)
    throw new ImageNotBuilt(
      'The image has no command to start. Add a line to the Dockerfile such as: CMD ["node", "server.js"]',
    )
  }

  async #build(name: string, network: string, request: ImageRequest, signal: AbortSignal): Promise<void> {
    const query = buildQuery(name, network, this.#settings.nodeId, request)
    const context = await request.context()
    let answer: AsyncIterable<Buffer>
    try {
      const headers = { 'content-type': 'application/x-tar' }
      answer = await this.#host.engine.upload('POST', `/build?${query}`, context, headers, signal)
    } catch (cause) {
      context.destroy()
      signal.throwIfAborted()
      // Such as a Dockerfile that cannot be parsed.
      if (cause instanceof EngineError) throw new ImageNotBuilt(sentence(cause.message), { cause })
      throw cause
    }
    let last: string | undefined
    try {
      for await (const { text, error } of buildMessages(answer)) {
        if (error !== undefined) throw new ImageNotBuilt(explained(error, request))
        last = layerIn(text) ?? last
        if (text !== '' && !request.output(Buffer.from(text))) await sleep(pauseMs)
      }
    } catch (error) {
      await this.#removeLayer(last)
      signal.throwIfAborted()
      throw error
    } finally {
      context.destroy()
    }
  }

  /**
   * Removes the layers that a failed build made and that no image uses, since nothing else would. The id comes from the log, in
   * which the build's own commands may write others, so an image with a name stays.
   */
  async #removeLayer(id: string | undefined): Promise<void> {
    if (id === undefined) return
    const image = await inspectImage(this.#host.engine, id).catch(() => undefined)
    if (image && (image.RepoTags ?? []).length === 0)
      // What cannot be removed is in use, or the operator's `docker image prune` removes it.
      await this.remove(id).catch(() => undefined)
  }
}

function buildQuery(
  name: string,
  network: string,
  nodeId: string,
  { dockerfile, args, limits, withCache }: ImageRequest,
): URLSearchParams {
  return new URLSearchParams({
    ...{ t: name, dockerfile, networkmode: network, rm: '1', forcerm: '1' },
    ...(withCache ? {} : { nocache: '1' }),
    buildargs: JSON.stringify(args),
    labels: JSON.stringify({ [builtByLabel]: nodeId }),
    memory: String(limits.memoryBytes),
    // The limit of memory and swap together. The same value means no swap.
    memswap: String(limits.memoryBytes),
    cpushares: String(cpuShares),
    cpuperiod: String(cpuPeriod),
    cpuquota: String(Math.round(limits.cpus * cpuPeriod)),
  })
}

/** The id of the layer that a step made, in a line such as ` ---> 1f0a2b3c4d5e`. */
const layerIn = (text: string): string | undefined => /^ ---> ([0-9a-f]{12})\n?$/.exec(text)?.[1]

/**
 * Docker 20.10 on a busy machine now and then runs a step or copies files before a layer is mounted. A program that is really
 * missing has the same words: its step is tried again in vain.
 */
const mayWorkNextTime = (problem: string): boolean =>
  isLayerMissing(problem) ||
  problem.includes('Error after fallback to chroot: no such file') ||
  (problem.includes('OCI runtime create failed') && /no such file|executable file not found/.test(problem))

const needsBuildKit = /requires BuildKit|unknown flag|dockerfile parse error|unknown instruction/i

function explained(error: string, { limits }: ImageRequest): string {
  const words = sentence(error)
  if (needsBuildKit.test(error))
    return `${words} The engine's builder does not know BuildKit's additions, such as RUN --mount, COPY --link and heredocs. Write the step without them.`
  if (/non-zero code: 137/.test(error))
    return `${words} It was killed, probably because it used more than ${Math.round(limits.memoryBytes / 1024 / 1024)} MB of memory (SVCD_BUILD_MEMORY_MB).`
  return words
}

const sentence = (text: string): string => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`)
