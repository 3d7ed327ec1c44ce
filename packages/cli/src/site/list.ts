// Lists the regular files and symbolic links of a directory, and checks the limits before it reads a file.
import { type Dirent, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@svc/contract/limits'
import {
  byPath,
  type EntryKind,
  type Extent,
  ignoreFile,
  isExcluded,
  isExcludedFile,
  tooManyFiles,
  type UploadFile,
  uploadProblem,
} from '@svc/contract/site'
import { errorCode, Failure, fileFailure } from '../failure.ts'
import { clean } from '../output.ts'
import { readLink } from './links.ts'

export interface SiteFile extends UploadFile {
  executable: boolean
  /** Where the file is. `undefined` if it is in the directory, at its path. */
  source?: string
}

export interface Site {
  /** Sorted by path. */
  files: SiteFile[]
  /** The target of each link, by the path of the link. No link was followed. */
  links: Map<string, string>
}

export function listSite(dir: string, extent: Extent = { nodeModules: false }): Site {
  if (!isDirectory(dir)) throw new Failure(`Not a directory: ${dir}`)
  const site: Site = { files: [], links: new Map() }
  walk(dir, '', site, extent)
  const hint = site.files.length === 0 && extent.ignores ? `${ignoreFile} leaves out every file.` : undefined
  return checked(site, dir, hint)
}

/** The site with packages, which `.svcignore` may leave out. A file of the site wins over one of a package. */
export function withPackages(dir: string, site: Site, packages: Site, extent: Extent): Site {
  const own = new Set(site.files.map(({ path }) => path))
  const isWanted = (path: string): boolean =>
    !own.has(path) && !isExcludedFile(path, { ...extent, nodeModules: true })
  return checked(
    {
      files: [...site.files, ...packages.files.filter(({ path }) => isWanted(path))],
      links: new Map([...[...packages.links].filter(([path]) => isWanted(path)), ...site.links]),
    },
    dir,
  )
}

function checked({ files, links }: Site, dir: string, hint?: string): Site {
  files.sort(byPath)
  const problem = uploadProblem(files, dir)
  if (problem) throw new Failure(clean(problem), { hint })
  return { files, links: new Map([...links].sort(([a], [b]) => (a < b ? -1 : 1))) }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error) ?? '')) return false
    throw fileFailure('read', path, error)
  }
}

function walk(root: string, folder: string, site: Site, extent: Extent): void {
  for (const entry of readFolder(root, folder)) {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    const kind = kindOf(entry)
    if (kind === undefined || isExcluded(path, kind, extent)) continue
    if (kind === 'folder') walk(root, path, site, extent)
    if (kind === 'link') site.links.set(path, readLink(root, path))
    if (kind === 'file') site.files.push(describeFile(join(root, path), path))
    // Stop here and not at the end: the command may have been started at the root of a disk.
    if (site.files.length > limits.files) throw new Failure(tooManyFiles, { hint: fewerFiles(extent) })
  }
}

/** Development packages are most of a node_modules folder, and the server does not need them. */
const fewerFiles = ({ nodeModules }: Extent): string | undefined =>
  nodeModules
    ? "node_modules is part of the upload. 'svc deploy --build' uploads only the packages that the server needs. Or push with git: the platform builds it, and leaves out what the server does not need."
    : undefined

/** `undefined` for sockets, pipes and devices. */
function kindOf(entry: Dirent): EntryKind | undefined {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : undefined
}

function readFolder(root: string, folder: string) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
  } catch (error) {
    throw fileFailure('read', folder || root, error)
  }
}

export function describeFile(source: string, path: string): SiteFile {
  try {
    const { size, mode } = lstatSync(source)
    return { path, size, executable: (mode & 0o100) !== 0 }
  } catch (error) {
    throw fileFailure('read', path, error)
  }
}
