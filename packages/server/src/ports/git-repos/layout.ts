// The files of a repository that say how git treats it. They are svcd's alone: a restored backup may hold others.
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { repositoryConfig } from '../../lib/git/settings.ts'
import { replaceFile } from '../../lib/replace-file.ts'

/** Each leads git to files elsewhere. */
const unwanted = ['objects/info/alternates', 'objects/info/http-alternates', 'commondir', 'config.worktree']

/** Called before each git program: git has no option to ignore the configuration of a repository. */
export async function ownLayout(gitDir: string): Promise<void> {
  const config = path.join(gitDir, 'config')
  const text = await readFile(config, 'utf8').catch(() => '') // It is written anew.
  if (text !== repositoryConfig) replaceFile(config, repositoryConfig)
  for (const name of unwanted) await rm(path.join(gitDir, name), { recursive: true, force: true })
}

/** What a small file takes on most disks. */
const blockBytes = 4096

/** Bytes of the refs: each is a file, until they are packed into one. */
export async function refsSize(gitDir: string): Promise<{ files: number; bytes: number }> {
  const packed = await stat(path.join(gitDir, 'packed-refs')).catch(() => undefined) // There is none before the first packing.
  const entries = await readdir(path.join(gitDir, 'refs'), { recursive: true })
  return { files: entries.length, bytes: entries.length * blockBytes + (packed?.size ?? 0) }
}
