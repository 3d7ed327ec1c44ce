// Selects which of the chosen files are deployed, by the same rules as the CLI.
import { byPath, type Extent, isExcludedFile, type UploadFile, uploadProblem } from '@svc/contract/site'

/** The content of a file: of a `File`, or of an entry of an archive. */
export type FileContent = Pick<File, 'size' | 'arrayBuffer' | 'text'>

export interface SiteFile extends UploadFile {
  file: FileContent
}

export const siteFile = (path: string, file: FileContent): SiteFile => ({ path, size: file.size, file })

/** A selection that cannot be deployed; the message says why. */
export class Refusal extends Error {}

/** Removes the name of the chosen folder from the paths, because the folder itself is the site. */
export function stripFolder(files: SiteFile[]): { folder: string; files: SiteFile[] } {
  const top = files[0]?.path.split('/')[0] ?? ''
  const shared = files.length > 0 && files.every(({ path }) => path.startsWith(`${top}/`))
  if (!shared) return { folder: '', files }
  return { folder: top, files: files.map(({ path, file }) => siteFile(path.slice(top.length + 1), file)) }
}

/** The files to deploy, in the order of the archive. Throws a Refusal that says what is wrong. */
export function selectFiles(candidates: SiteFile[], folder: string, extent?: Extent): SiteFile[] {
  const files = candidates.filter(({ path }) => !isExcludedFile(path, extent)).sort(byPath)
  const problem = uploadProblem(files, folder || 'the selection')
  if (problem) throw new Refusal(problem)
  return files
}
