// The copy of a repository on this machine's disk. It may be lost: the storage and the database have everything.
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { minuteMs } from '@svc/contract/durations'
import { GitFailed, type GitOptions, runGit, withGit } from '../../lib/git/programs.ts'
import { replaceFile } from '../../lib/replace-file.ts'
import type { Packs } from '../packs/port.ts'
import type { RepoState, StoredPack } from '../repo-ledger/port.ts'
import { fetchPack } from './stored-packs.ts'

/** Another process on this directory may just have fetched a pack that this one does not know yet. */
const newPackMs = 10 * minuteMs
/** Git's name for the value of a ref that does not exist. */
export const noObject = '0'.repeat(40)

type CopyOptions = GitOptions & { gitDir: string }

const versionFile = (gitDir: string): string => path.join(gitDir, 'svc-version')
const packsDir = (gitDir: string): string => path.join(gitDir, 'objects', 'pack')

/** The version that the copy has at least. `undefined` if it is not known, and for a repository that is no copy. */
export async function versionOfCopy(gitDir: string): Promise<number | undefined> {
  const text = await readFile(versionFile(gitDir), 'utf8').catch(() => '') // There is none before the first copy.
  return /^\d+$/.test(text) ? Number(text) : undefined
}

/** Packs come before refs, so that no ref leads to a missing object. */
export async function bringTo(state: RepoState, packs: Packs, options: CopyOptions): Promise<void> {
  const { gitDir } = options
  for (const pack of state.packs) await fetchPack(packs, pack, packsDir(gitDir))
  await moveRefs(state.refs, options)
  await runGit(['symbolic-ref', 'HEAD', `refs/heads/${state.head}`], options)
  await removeOthers(state.packs, gitDir)
  replaceFile(versionFile(gitDir), String(state.version))
}

async function moveRefs(wanted: ReadonlyMap<string, string>, options: CopyOptions): Promise<void> {
  const present = await refsOf(options)
  const gone = [...present].filter(([ref]) => !wanted.has(ref))
  // First, since `a` cannot exist beside `a/b`.
  await updateRefs(
    gone.map(([ref, sha]) => `delete ${ref} ${sha}`),
    options,
  )
  const moved = [...wanted].filter(([ref, sha]) => present.get(ref) !== sha)
  await updateRefs(
    moved.map(([ref, sha]) => `update ${ref} ${sha} ${present.get(ref) ?? noObject}`),
    options,
  )
}

export async function refsOf(options: CopyOptions): Promise<Map<string, string>> {
  const text = await runGit(['for-each-ref', '--format=%(objectname) %(refname)'], options)
  const lines = text.split('\n').filter(Boolean)
  return new Map(lines.map(line => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]))
}

/** All or nothing. Rejects with GitFailed if a ref is not as a command says. */
export async function updateRefs(commands: readonly string[], options: GitOptions): Promise<void> {
  if (commands.length === 0) return
  const settings = { ...options.settings, 'core.filesRefLockTimeout': '5000' }
  await withGit(['update-ref', '--stdin'], { ...options, settings }, async git => {
    let said = ''
    git.stdout.resume()
    git.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(0, 2_000)
    })
    git.stdin?.end(commands.map(line => `${line}\n`).join(''))
    if (!(await git.done)) throw new GitFailed(said.trim())
  })
}

async function removeOthers(packs: readonly StoredPack[], gitDir: string): Promise<void> {
  const known = new Set(packs.map(({ name }) => name))
  for (const file of await readdir(packsDir(gitDir)).catch(() => [])) {
    if (known.has(file.replace(/\.[a-z]+$/, ''))) continue
    const at = path.join(packsDir(gitDir), file)
    const found = await stat(at).catch(() => undefined) // Another process has removed it.
    if (found && Date.now() - found.mtimeMs > newPackMs) await rm(at, { force: true })
  }
}
