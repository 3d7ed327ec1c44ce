// What the container of an app needs to know of the image that its own Dockerfile made.
import { AppDidNotStart, appPort } from '../port.ts'
import { type Engine, isMissing } from './engine.ts'

export interface ImageInspected {
  Id: string
  Size: number
  RepoTags?: string[] | null
  Config?: {
    Entrypoint?: string[] | null
    Cmd?: string[] | null
    ExposedPorts?: Record<string, object> | null
    Volumes?: Record<string, object> | null
  } | null
}

export interface OwnImage {
  id: string
  /** The value of PORT, and where the app is reached. */
  port: number
  /** Folders that the image expects to be writable. */
  volumes: string[]
}

const volumesAtMost = 16

export async function inspectImage(engine: Engine, name: string): Promise<ImageInspected | undefined> {
  try {
    return await engine.call<ImageInspected>('GET', `/images/${encodeURIComponent(name)}/json`)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

export const commandOf = ({ Config }: ImageInspected): string[] => [
  ...(Config?.Entrypoint ?? []),
  ...(Config?.Cmd ?? []),
]

export async function findOwnImage(engine: Engine, name: string): Promise<OwnImage> {
  const image = await inspectImage(engine, name)
  if (!image)
    throw new AppDidNotStart(
      'cannot run',
      'The image of this deployment is not on this machine: it is on the machine that built it, or was removed there. Build the commit again: svc git build --commit <sha>',
    )
  return { id: image.Id, port: portOf(image), volumes: volumesOf(image) }
}

/**
 * The lowest port that the Dockerfile exposes: a server that ignores PORT listens there, and one that reads PORT does so, too.
 */
function portOf({ Config }: ImageInspected): number {
  const ports = Object.keys(Config?.ExposedPorts ?? {})
    .filter(port => port.endsWith('/tcp'))
    .map(port => Number.parseInt(port, 10))
  return ports.length === 0 ? appPort : Math.min(...ports)
}

/** Without a mount of its own, a volume would be a folder on the machine's disk, of any size. */
function volumesOf({ Config }: ImageInspected): string[] {
  const volumes = Object.keys(Config?.Volumes ?? {})
  if (volumes.length > volumesAtMost)
    throw new AppDidNotStart(
      'cannot run',
      `The image declares ${volumes.length} volumes, and may have ${volumesAtMost}. Remove VOLUME lines from the Dockerfile.`,
    )
  return volumes.filter(volume => volume !== '/tmp')
}
