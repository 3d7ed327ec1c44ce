// Reads the variables for production from the dotenv files of the directory.
import { DotenvError, parseDotenv } from '@svc/contract/dotenv'
import type { Imported } from './imported.ts'
import type { ProjectFiles } from './project-files.ts'

/** If several files set a key, the last file wins. */
const productionFiles = ['.env', '.env.production']
/** Files for one machine or for development. Their values would be wrong in production. */
const localFiles = [
  '.env.local',
  '.env.production.local',
  '.env.development',
  '.env.development.local',
  '.env.test',
]

export function readDotenvFiles(
  files: ProjectFiles,
  root: string,
  imported: Imported,
  pulled: readonly string[],
): void {
  const at = (name: string) => (root === '' ? name : `${root}/${name}`)
  for (const path of [...productionFiles.map(at), ...pulled]) readDotenvFile(files, path, imported)
  const skipped = localFiles.map(at).filter(path => files.hasFile(path))
  if (skipped.length > 0)
    imported.findings.note(
      skipped.join(', '),
      `not read: ${skipped.length === 1 ? 'it is' : 'they are'} for this machine or for development. To set its variables in production: svc env import ${skipped[0]}`,
    )
}

function readDotenvFile(files: ProjectFiles, path: string, imported: Imported): void {
  const text = files.text(path)
  if (text === undefined) return
  try {
    // Both platforms pass a variable to builds and to the running site.
    for (const { key, value } of parseDotenv(text))
      imported.setVariable({ key, value, scope: 'both', source: path })
  } catch (error) {
    if (!(error instanceof DotenvError)) throw error
    imported.findings.warn(
      path,
      `${error.message}. None of its variables is imported. Correct the line, then: svc env import ${path} --scope both`,
    )
  }
}
