// Which files of a server app's build the edge serves itself: where they lie, by where visitors ask for them.
import { type FrameworkId, frameworkOf } from './frameworks.ts'

export interface Asset {
  /** In the deployment. */
  path: string
  /** Its name carries a hash of its content. */
  immutable: boolean
}

/** Below these addresses a framework's build names every file by its content. */
const hashedNames: Partial<Record<FrameworkId, RegExp>> = {
  next: /^\/_next\/static\//,
  // Nuxt says in builds/ which build is the latest.
  nitro: /^\/_nuxt\/(?!builds\/)/,
  sveltekit: /^\/_app\/immutable\//,
  astro: /^\/_astro\//,
}

/** Where a decoded path may lie; the first that exists is meant. Anything else is for the app. */
export function assetsAt(framework: string | null, path: string): Asset[] {
  const rules = frameworkOf(framework)?.assets ?? []
  const immutable = hashedNames[framework as FrameworkId]?.test(path) ?? false
  return rules
    .filter(({ at }) => path.startsWith(at) && !path.endsWith('/'))
    .map(({ dir, at }) => ({ path: dir + path.slice(at.length), immutable }))
}
