// Finds an image on the engine, and pulls it if it is missing.
import { type Engine, isMissing } from './engine.ts'

interface Image {
  Id: string
  /** Such as `node@sha256:…`. */
  RepoDigests?: string[] | null
}

export async function ensureImage(engine: Engine, image: string): Promise<Image> {
  const here = await find(engine, image)
  if (here) return here
  // Ignore the progress report, which also holds errors. Whether the image is there now shows if the pull worked.
  const pulling = await engine.stream('POST', `/images/create?fromImage=${encodeURIComponent(image)}`)
  for await (const _ of pulling);
  const pulled = await find(engine, image)
  if (!pulled)
    throw new Error(
      `the image ${image} could not be pulled; see SVCD_RUNTIME_IMAGE, SVCD_BUILD_IMAGE and SVCD_NODE_IMAGES`,
    )
  return pulled
}

async function find(engine: Engine, image: string): Promise<Image | undefined> {
  try {
    return await engine.call<Image>('GET', `/images/${encodeURIComponent(image)}/json`)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
