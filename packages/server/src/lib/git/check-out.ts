// Writes the files of a commit into a directory.
import { rm } from 'node:fs/promises'
import { type GitOptions, runGit } from './programs.ts'
import { requireFewPaths } from './tree-size.ts'

/** The directory must be empty. It gets no `.git` directory: a build sees nothing of the repository. */
export async function checkOutTree(
  sha: string,
  dir: string,
  { owner, gitDir, signal }: Pick<GitOptions, 'owner' | 'gitDir' | 'signal'>,
): Promise<void> {
  const index = `${dir}.index`
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: dir }
  const options = { owner, gitDir, env, signal, work: 'work' } as const
  await requireFewPaths([sha], { owner, gitDir, signal })
  try {
    await runGit(['read-tree', `${sha}^{commit}`], options)
    await runGit(['-c', 'core.bare=false', 'checkout-index', '--all'], options)
  } finally {
    await rm(index, { force: true })
  }
}
