// Writes `_redirects` and `_headers`. The existing lines stay, and the imported lines follow them.
import { closeSync, constants, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure, fileFailure } from '../../failure.ts'
import type { ProjectFiles } from '../project-files.ts'

export interface RuleFile {
  /** Relative to the directory that is imported. */
  path: string
  /** Only the imported lines. */
  lines: string[]
  /** The whole file. */
  text: string
  state: 'new' | 'extended' | 'unchanged'
}

const [begin, end] = [
  "# Begin of what 'svc import' wrote. Running it again replaces this part.",
  "# End of what 'svc import' wrote.",
]

/** Undefined if there is nothing to write. */
export function planRuleFile(files: ProjectFiles, path: string, lines: string[]): RuleFile | undefined {
  if (lines.length === 0) return undefined
  const existing = files.text(path)
  const own = withoutImported(existing ?? '')
  const imported = [begin, ...lines, end].join('\n')
  const text = `${own === '' ? '' : `${own}\n`}${imported}\n`
  return {
    path,
    lines,
    text,
    state: text === existing ? 'unchanged' : existing === undefined ? 'new' : 'extended',
  }
}

function withoutImported(text: string): string {
  const from = text.indexOf(begin)
  const to = text.indexOf(end, from)
  const kept =
    from < 0 || to < 0 ? text : text.slice(0, from) + text.slice(to + end.length).replace(/^\r?\n/, '')
  return kept.trimEnd()
}

/** Writes only inside the directory: follows no symbolic link, neither the file nor a folder of its path. */
export function writeRuleFile(files: ProjectFiles, { path, text }: RuleFile): void {
  try {
    makeFolders(files, path)
    if (files.exists(path) && !files.hasFile(path))
      throw new Failure(
        `Cannot write ${path}: it is a link or no file. Remove it, and run 'svc import' again.`,
      )
    const file = openSync(
      join(files.root, path),
      constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0),
      0o644,
    )
    try {
      ftruncateSync(file)
      writeSync(file, text)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw error instanceof Failure ? error : fileFailure('write', path, error)
  }
}

/** Makes the folders of the path one by one, so that none is made behind a link or outside of the directory. */
function makeFolders(files: ProjectFiles, path: string): void {
  const names = dirname(path).split('/')
  for (const [i, name] of names.entries()) {
    const folder = names.slice(0, i + 1).join('/')
    if (name === '..')
      throw new Failure(
        `Cannot write ${path}: it is outside of this directory. Run 'svc import' in the directory above.`,
      )
    if (files.hasFolder(folder)) continue
    if (files.exists(folder))
      throw new Failure(
        `Cannot write ${path}: ${folder} is a link or a file. Make it a folder, and run 'svc import' again.`,
      )
    mkdirSync(join(files.root, folder))
  }
}
