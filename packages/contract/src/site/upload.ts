// Which files of a folder are uploaded as a site, and whether they keep to the limits. The CLI and the dashboard share
// these rules and messages; each reads files in its own way.
import { formatBytes } from '../bytes.ts'
import { limits } from '../limits.ts'
import { formatWhole } from '../whole-number.ts'
import { type Ignores, ignoreFile } from './ignore.ts'
import { pathProblem } from './paths.ts'
import { settingsFile } from './settings.ts'

export interface UploadFile {
  /** Relative to the site, with `/` between the names. */
  path: string
  size: number
}

/** The kind of an entry of a folder. */
export type EntryKind = 'file' | 'folder' | 'link'

/** How much of a folder is uploaded. */
export interface Extent {
  /** Whether node_modules folders are uploaded: a server app may need them. */
  nodeModules: boolean
  /** The rules of .svcignore. */
  ignores?: Ignores
}

const withoutModules: Extent = { nodeModules: false }

/** Whether an entry is left out of the upload. A folder is left out with everything in it. */
export function isExcluded(path: string, kind: EntryKind, extent: Extent = withoutModules): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  // In worktrees and submodules .git is a file.
  if (name === '.git') return true
  if (name === 'node_modules' && kind !== 'file' && !extent.nodeModules) return true
  if ((path === settingsFile || path === ignoreFile) && kind !== 'folder') return true
  return extent.ignores?.(path, kind === 'folder') ?? false
}

/** Whether a file is left out of the upload, itself or with one of its folders. */
export function isExcludedFile(path: string, extent?: Extent): boolean {
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
    if (isExcluded(path.slice(0, slash), 'folder', extent)) return true
  return isExcluded(path, 'file', extent)
}

/** The order of the files in an archive: by code unit, the same on every system. */
export const byPath = (a: UploadFile, b: UploadFile): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0

export const totalBytes = (files: readonly UploadFile[]): number =>
  files.reduce((sum, { size }) => sum + size, 0)

export const tooManyFiles = `Site exceeds the ${formatWhole(limits.files)} file limit.`
export const archiveTooLarge = `Archive exceeds the ${formatBytes(limits.tarballBytes)} limit.`
export const tooManyLinks = `Site exceeds the ${formatWhole(limits.links)} symbolic link limit.`
export const linksTooLarge = `The symbolic links of the site exceed the limit of ${formatBytes(limits.linksBytes)}.`

/** What the platform says of an upload whose client cancelled it or lost the connection. */
export const uploadEndedEarly = 'The upload ended early. Send the archive again.'

/** Why these files cannot be uploaded. `from` names where they were looked for. `undefined` if they can be uploaded. */
export function uploadProblem(files: readonly UploadFile[], from: string): string | undefined {
  if (files.length === 0)
    return `Nothing to deploy: no files found in ${from === '.' ? 'this folder' : from}.`
  if (files.length > limits.files) return tooManyFiles
  for (const { path, size } of files) {
    if (size > limits.fileBytes) return `File exceeds the ${formatBytes(limits.fileBytes)} limit: ${path}.`
    const problem = pathProblem(path)
    if (problem) return `The file '${path}' ${problem}. Rename it, then deploy again.`
  }
  if (totalBytes(files) > limits.extractedBytes)
    return `Site exceeds the ${formatBytes(limits.extractedBytes)} uncompressed limit.`
  return undefined
}
