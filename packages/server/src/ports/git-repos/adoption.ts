// Brings a repository that was on the disk of one machine to the storage.
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { type GitOptions, runGit } from '../../lib/git/programs.ts'
import type { RepoState, StoredPack } from '../repo-ledger/port.ts'
import { refsOf } from './local-copy.ts'

/** The disk keeps exactly what is stored, so that no later push builds on an object that other nodes do not have. */
export async function adopt(
  options: GitOptions & { gitDir: string },
  upload: (file: string) => Promise<StoredPack | undefined>,
): Promise<Pick<RepoState, 'head' | 'refs' | 'packs'>> {
  const work = { ...options, work: 'work' } as const
  const dir = path.join(options.gitDir, 'objects', 'pack')
  for (const file of await readdir(dir)) if (file.endsWith('.keep')) await rm(path.join(dir, file))
  await runGit(['repack', '-a', '-d', '--quiet'], work)
  await runGit(['prune', '--expire=now'], work)
  const packs: StoredPack[] = []
  for (const file of await readdir(dir)) {
    if (!file.endsWith('.pack')) continue
    const pack = await upload(path.join(dir, file.slice(0, -'.pack'.length)))
    if (pack) packs.push(pack)
  }
  const head = (await runGit(['symbolic-ref', 'HEAD'], options)).trim().slice('refs/heads/'.length)
  return { head, refs: await refsOf(options), packs }
}
