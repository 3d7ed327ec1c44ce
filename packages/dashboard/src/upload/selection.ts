// Which of the chosen files make up the site, and whether they keep to the limits; the same rules as the CLI's.
import { limits } from '@svc/contract/limits'
import { linksPath } from '@svc/contract/site'

export interface SiteFile {
  /** Relative to the site's root, separated by slashes. */
  path: string
  file: File
}

/** A selection that cannot be deployed; the message says why. */
export class Refusal extends Error {}

const skippedNames = new Set(['.git', 'node_modules'])

/** Whether a file or folder of this name is left out, and with it all that is inside. */
export const isSkippedName = (name: string) => skippedNames.has(name)

function isExcluded(path: string): boolean {
  // The platform keeps its own list of symbolic links at that path.
  if (path === 'svc.json' || path === linksPath) return true
  const parts = path.split('/')
  // A file called node_modules is a file like any other; .git is a file in worktrees and submodules.
  return parts.slice(0, -1).some(isSkippedName) || parts.at(-1) === '.git'
}

/** Files of one chosen folder lose its name: the folder is the site, not a part of it. */
export function stripFolder(files: SiteFile[]): { folder: string; files: SiteFile[] } {
  const top = files[0]?.path.split('/')[0] ?? ''
  const shared = files.length > 0 && files.every(({ path }) => path.startsWith(`${top}/`))
  if (!shared) return { folder: '', files }
  return { folder: top, files: files.map(({ path, file }) => ({ path: path.slice(top.length + 1), file })) }
}

const byCodeUnit = (a: SiteFile, b: SiteFile) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

/** The files to deploy, in the order of the archive. Throws a Refusal that says what is wrong. */
export function selectFiles(candidates: SiteFile[], folder: string): SiteFile[] {
  const files = candidates.filter(({ path }) => !isExcluded(path)).sort(byCodeUnit)
  if (files.length === 0)
    throw new Refusal(`Nothing to deploy: no files found in ${folder || 'the selection'}.`)
  if (files.length > limits.files) throw new Refusal('Site exceeds the 10,000 file limit.')
  const big = files.find(({ file }) => file.size > limits.fileBytes)
  if (big) throw new Refusal(`File exceeds the 25 MB limit: ${big.path}.`)
  if (totalBytes(files) > limits.extractedBytes)
    throw new Refusal('Site exceeds the 250 MB uncompressed limit.')
  return files
}

export const totalBytes = (files: SiteFile[]) => files.reduce((sum, { file }) => sum + file.size, 0)
