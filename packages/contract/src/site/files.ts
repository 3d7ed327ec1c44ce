// The files of a deployment as detection and advice see them: on a disk, in a browser or in a stored pack.
export interface SiteFiles {
  paths(): Iterable<string>
  /** `undefined` if there is no such file. */
  sizeOf(path: string): number | undefined
  text(path: string): Promise<string>
}

/** Whether the site has a path. A path that ends with `/` is a folder with at least one file. */
export function hasPath(site: SiteFiles, path: string): boolean {
  if (!path.endsWith('/')) return site.sizeOf(path) !== undefined
  for (const file of site.paths()) if (file.startsWith(path)) return true
  return false
}

/** The largest file that is read whole and parsed. */
export const readAtMost = 256 * 1024

/** The text of a small file; undefined if it is missing or too large. */
export async function readSmall(site: SiteFiles, path: string): Promise<string | undefined> {
  const size = site.sizeOf(path)
  if (size === undefined || size > readAtMost) return undefined
  return (await site.text(path)).replace(/^\uFEFF/, '')
}
