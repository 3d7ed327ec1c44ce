// A commit of a few objects that stands for very many paths: folders that hold the same folder many times.
import type { WorkingCopy } from './git.ts'

/** `width` to the power of `depth` files. Returns the id of the commit. */
export async function commitTreeBomb(copy: WorkingCopy, { width = 10, depth = 10 } = {}): Promise<string> {
  await copy.commit({ 'a.txt': 'a' })
  let entry = `100644 blob ${(await copy.git('rev-parse', 'HEAD:a.txt')).stdout.trim()}`
  for (let level = 0; level < depth; level++) {
    const lines = Array.from({ length: width }, (_, i) => `${entry}\t${String(i).padStart(4, '0')}`)
    const tree = await copy.git(
      '-c',
      `alias.tree=!printf '%s\\n' ${lines.map(l => `'${l}'`).join(' ')} | git mktree`,
      'tree',
    )
    entry = `040000 tree ${tree.stdout.trim()}`
  }
  const top = entry.slice(-40)
  return (await copy.git('commit-tree', '-p', 'HEAD', '-m', 'many paths', top)).stdout.trim()
}

/** A commit with very many files in one folder. Returns its id. */
export async function commitManyFiles(copy: WorkingCopy, files: number, name: string): Promise<string> {
  await copy.commit({ 'a.txt': 'a' })
  const blob = (await copy.git('rev-parse', 'HEAD:a.txt')).stdout.trim()
  const list = `seq -w 1 ${files} | sed 's/^/100644 blob ${blob}\t${name}/'`
  const tree = await copy.git('-c', `alias.tree=!${list} | git mktree`, 'tree')
  return (await copy.git('commit-tree', '-p', 'HEAD', '-m', name, tree.stdout.trim())).stdout.trim()
}
