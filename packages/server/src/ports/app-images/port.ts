// AppImages: builds container images from Dockerfiles, and keeps one for each deployment that runs one.
import type { Readable } from 'node:stream'

export interface AppImages {
  /** Resolves when the image is kept under its name. Rejects with `ImageNotBuilt`, and with the signal's reason if that aborts. */
  build(request: ImageRequest, signal: AbortSignal): Promise<AppImage>
  /** The names of the images that this node built and still has. */
  list(): Promise<string[]>
  /** Does nothing if a running container uses the image, or if it is gone. */
  remove(name: string): Promise<void>
}

export interface ImageRequest {
  /** A tar archive with the files that the Dockerfile may copy, and the Dockerfile itself. Called again for another attempt. */
  context(): Promise<Readable>
  /** The path of the Dockerfile in the archive. */
  dockerfile: string
  args: Readonly<Record<string, string>>
  limits: { memoryBytes: number; cpus: number }
  /** Whether layers of earlier builds may be used. */
  withCache: boolean
  /** Receives the log. Returns false to make the adapter pause before it reads on. */
  output(chunk: Buffer): boolean
}

export interface AppImage {
  /** Cannot be guessed: a Dockerfile can build on every image whose name its author knows. */
  name: string
  /** The program that it starts, with its arguments. */
  command: readonly string[]
  sizeBytes: number
}

/** Why there is no image, as a message for the person who pushed. */
export class ImageNotBuilt extends Error {
  override readonly name = 'ImageNotBuilt'
}
