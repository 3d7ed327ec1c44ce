// Which files of a server app the edge serves itself. Maps the paths of requests to files of the deployment.

import { frameworkOf } from '../deployments/frameworks.ts'
import { isHashedAsset } from '../deployments/hashed-assets.ts'

interface Asset {
  /** The path in the deployment. */
  path: string
  /** The file name contains a hash of the content. */
  immutable: boolean
}

/** The folders whose files the edge serves itself. All other files are the program. */
export const publicFolders = (framework: string | null): string[] =>
  (frameworkOf(framework)?.assets ?? []).map(({ dir }) => dir)

/** The files that may answer a decoded path. The first that exists is served. If none exists, the app answers. */
export function assetsAt(framework: string | null, path: string): Asset[] {
  const rules = frameworkOf(framework)?.assets ?? []
  const matching = path.endsWith('/') ? [] : rules.filter(({ at }) => path.startsWith(at))
  return matching.map(({ dir, at, hashed }) => ({
    path: dir + path.slice(at.length),
    immutable: hashed === true || isHashedAsset(path.slice(1)),
  }))
}
