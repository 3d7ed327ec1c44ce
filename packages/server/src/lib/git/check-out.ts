// Writes the files of a commit into a directory.
import { rm } from 'node:fs/promises'
import { type GitOptions, runGit } from './programs.ts'
import { type Submodule, submodulesOf } from './submodules.ts'
import { requireFewPaths } from './tree-size.ts'

interface CheckOut extends Pick<GitOptions, 'owner' | 'gitDir' | 'signal'> {
  /** A file for the index, while this runs. */
  index?: string
}

/**
 * The directory must be empty. It gets no `.git` directory: a build sees nothing of the repository. Resolves with the submodules,
 * whose folders stay empty.
 */
export async function checkOutTree(
  sha: string,
  dir: string,
  { owner, gitDir, signal, index = `${dir}.index` }: CheckOut,
): Promise<Submodule[]> {
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: dir }
  const options = { owner, gitDir, env, signal, work: 'work' } as const
  await requireFewPaths([sha], { owner, gitDir, signal })
  try {
    await runGit(['read-tree', `${sha}^{commit}`], options)
    await runGit(['-c', 'core.bare=false', 'checkout-index', '--all'], options)
    return await submodulesOf(sha, { owner, gitDir, signal })
  } finally {
    await rm(index, { force: true })
  }
}
