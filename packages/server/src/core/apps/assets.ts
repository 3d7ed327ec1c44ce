// Which files of a server app's build the edge serves itself: where they lie, by where visitors ask for them.
import { isHashedAsset } from '../deployments/hashed-assets.ts'
import { frameworkOf } from './frameworks.ts'

export interface Asset {
  /** In the deployment. */
  path: string
  /** Its name carries a hash of its content. */
  immutable: boolean
}

/** Where a decoded path may lie; the first that exists is meant. Anything else is for the app. */
export function assetsAt(framework: string | null, path: string): Asset[] {
  const rules = frameworkOf(framework)?.assets ?? []
  const matching = path.endsWith('/') ? [] : rules.filter(({ at }) => path.startsWith(at))
  return matching.map(({ dir, at, hashed }) => ({
    path: dir + path.slice(at.length),
    immutable: hashed === true || isHashedAsset(path.slice(1)),
  }))
}
