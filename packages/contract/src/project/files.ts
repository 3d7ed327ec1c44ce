// The files of a project, as plans see them, and those of a deployment, as detection and advice see them.

/** A project on a disk, in a git tree or in an upload. Paths have `/` between their parts. */
export interface ProjectFiles {
  hasFile(path: string): Promise<boolean>
  hasFolder(path: string): Promise<boolean>
  /** `undefined` if it is missing, is not a plain file, or is larger than `atMost` bytes (1 MB unless told). */
  read(path: string, atMost?: number): Promise<string | undefined>
  /** The names of the folders in a folder; empty if there is none. */
  folders(path: string): Promise<string[]>
}

/** `''` is the top folder. */
export const below = (folder: string, path: string): string =>
  folder === '' ? path : path === '' ? folder : `${folder}/${path}`

/** Whether there is a file, or a folder if the path ends with `/`. */
export const isPresent = (files: ProjectFiles, path: string): Promise<boolean> =>
  path.endsWith('/') ? files.hasFolder(path.slice(0, -1)) : files.hasFile(path)

/** The files of a deployment: on a disk, in a browser or in a stored pack. */
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

/** The files of an upload, seen as those of a project. */
export function projectIn(site: SiteFiles): ProjectFiles {
  const inside = (folder: string) => (folder === '' ? '' : `${folder}/`)
  return {
    hasFile: async path => hasPath(site, path),
    hasFolder: async path => hasPath(site, `${path}/`),
    read: path => readSmall(site, path),
    folders: async folder => {
      const names = new Set<string>()
      for (const path of site.paths()) {
        const slash = path.startsWith(inside(folder)) ? path.indexOf('/', inside(folder).length) : -1
        if (slash > 0) names.add(path.slice(inside(folder).length, slash))
      }
      return [...names]
    },
  }
}
