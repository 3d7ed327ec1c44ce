// What a deploy finds in a directory: regular files, checked against the limits before any is read, and symbolic links.
import { type Dirent, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@svc/contract/limits'
import { errorCode, Failure, fileFailure } from '../failure.ts'
import { readLink } from './links.ts'

export interface SiteFile {
  /** Relative to the site, with `/` between its parts. */
  path: string
  size: number
  executable: boolean
}

export interface Site {
  /** Sorted by path. */
  files: SiteFile[]
  /** Where links lead, by their paths. None was followed. */
  links: Map<string, string>
}

/** Whether node_modules are part of the site: a server may need them. */
export interface Extent {
  nodeModules: boolean
}

export function listSite(dir: string, extent: Extent = { nodeModules: false }): Site {
  if (!isDirectory(dir)) throw new Failure(`Not a directory: ${dir}`)
  const site: Site = { files: [], links: new Map() }
  walk(dir, '', site, extent)
  const { files, links } = site
  if (files.length === 0) throw new Failure(`Nothing to deploy: no files found in ${dir}.`)
  checkSizes(files)
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
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
    if (isExcluded(path, entry, extent)) continue
    if (entry.isDirectory()) walk(root, path, site, extent)
    if (entry.isSymbolicLink()) site.links.set(path, readLink(root, path))
    if (entry.isFile()) site.files.push(describe(root, path))
    // Stop here, not at the end: someone may have started us at the root of a disk.
    if (site.files.length > limits.files)
      throw new Failure(`Site exceeds the ${limits.files.toLocaleString('en-US')} file limit.`)
  }
}

function isExcluded(path: string, entry: Dirent, extent: Extent): boolean {
  // In worktrees and submodules .git is a file.
  if (entry.name === '.git') return true
  if (entry.name === 'node_modules' && !entry.isFile()) return !extent.nodeModules
  return path === 'svc.json' && !entry.isDirectory()
}

function readFolder(root: string, folder: string) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
  } catch (error) {
    throw fileFailure('read', folder || root, error)
  }
}

function describe(root: string, path: string): SiteFile {
  try {
    const { size, mode } = lstatSync(join(root, path))
    return { path, size, executable: (mode & 0o100) !== 0 }
  } catch (error) {
    throw fileFailure('read', path, error)
  }
}

function checkSizes(files: SiteFile[]): void {
  const tooBig = files.find(file => file.size > limits.fileBytes)
  if (tooBig) throw new Failure(`File exceeds the 25 MB limit: ${tooBig.path}.`)
  if (totalSize(files) > limits.extractedBytes)
    throw new Failure('Site exceeds the 250 MB uncompressed limit.')
}

export function totalSize(files: SiteFile[]): number {
  return files.reduce((sum, file) => sum + file.size, 0)
}
