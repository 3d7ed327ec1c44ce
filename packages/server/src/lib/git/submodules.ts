// Finds the submodules of a commit: folders that hold one commit of another repository each.
import { GitFailed, type GitOptions, runGit } from './programs.ts'

export interface Submodule {
  /** Its folder. */
  path: string
  /** As the repository says it, which may be relative. */
  url: string
  sha: string
}

/** More are not read. */
const readAtMost = 200

/** Empty if the file that names them cannot be read. */
export async function submodulesOf(
  sha: string,
  { owner, gitDir, signal }: Pick<GitOptions, 'owner' | 'gitDir' | 'signal'>,
): Promise<Submodule[]> {
  const options = { owner, gitDir, signal, env: { GIT_LITERAL_PATHSPECS: '1' } }
  const entryAt = async (path: string) => readEntry(await runGit(['ls-tree', '-z', sha, '--', path], options))
  if ((await entryAt('.gitmodules'))?.kind !== 'blob') return []
  const named = await readFile(`${sha}:.gitmodules`, options)
  const found: Submodule[] = []
  for (const { path, url } of named.slice(0, readAtMost)) {
    const entry = await entryAt(path)
    if (entry?.kind === 'commit' && entry.path === path) found.push({ path, url, sha: entry.sha })
  }
  return found
}

/** `160000 commit 1a2b…	vendor/lib` */
function readEntry(listed: string): { kind: string; sha: string; path: string } | undefined {
  const [line = ''] = listed.split('\0')
  const tab = line.indexOf('\t')
  const [, kind = '', sha = ''] = line.slice(0, tab).split(' ')
  return tab < 0 ? undefined : { kind, sha, path: line.slice(tab + 1) }
}

/** The file has the format of git's settings. It may include files of this machine, which are not read. */
async function readFile(blob: string, options: GitOptions): Promise<Pick<Submodule, 'path' | 'url'>[]> {
  const sections = new Map<string, Map<string, string>>()
  for (const setting of await listSettings(blob, options)) {
    const end = setting.indexOf('\n')
    const key = setting.slice(0, end)
    const dot = key.lastIndexOf('.')
    if (end < 0 || !key.startsWith('submodule.')) continue
    const name = key.slice(0, dot)
    const section = sections.get(name) ?? new Map<string, string>()
    sections.set(name, section.set(key.slice(dot + 1), setting.slice(end + 1)))
  }
  return [...sections.values()].flatMap(section => {
    const [path, url] = [section.get('path'), section.get('url')]
    return path && url && isInside(path) ? [{ path, url }] : []
  })
}

const isInside = (path: string): boolean =>
  path.split('/').every(part => part !== '' && part !== '.' && part !== '..')

async function listSettings(blob: string, options: GitOptions): Promise<string[]> {
  try {
    return (await runGit(['config', '--no-includes', '--blob', blob, '--null', '--list'], options)).split(
      '\0',
    )
  } catch (error) {
    if (error instanceof GitFailed) return [] // It is not in the format of settings.
    throw error
  }
}
