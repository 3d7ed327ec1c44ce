// Puts the packs of many pushes together into one.
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { GitFailed, type GitOptions, withGit } from '../../lib/git/programs.ts'
import type { StoredPack } from '../repo-ledger/port.ts'

const packsAtMost = 20

const bytesOf = ({ packBytes, indexBytes }: StoredPack): number => packBytes + indexBytes

/**
 * The packs to put together, or none. A pack that is more than twice as large as all smaller ones stays: so a large
 * repository is not written anew after every few pushes.
 */
export function tooMany(packs: readonly StoredPack[]): StoredPack[] {
  if (packs.length <= packsAtMost) return []
  const chosen: StoredPack[] = []
  let bytes = 0
  for (const pack of [...packs].sort((a, b) => bytesOf(a) - bytesOf(b))) {
    if (chosen.length > 1 && bytesOf(pack) > 2 * bytes) break
    chosen.push(pack)
    bytes += bytesOf(pack)
  }
  return chosen
}

/**
 * Calls `use` with the path of the new pack, without its ending, or with `undefined` if no ref leads to an object. If it
 * returns true, the repository keeps the pack.
 */
export async function packTogether(
  what: 'refs' | readonly StoredPack[],
  options: GitOptions & { gitDir: string },
  use: (file: string | undefined) => Promise<boolean>,
): Promise<void> {
  const dir = await mkdtemp(path.join(options.gitDir, 'svc-tidy-'))
  const [args, input] =
    what === 'refs'
      ? [['--revs', '--all'], '']
      : [['--stdin-packs'], what.map(({ name }) => `${name}.pack\n`).join('')]
  try {
    const program = ['pack-objects', ...args, '--delta-base-offset', '--quiet', path.join(dir, 'pack')]
    await withGit(program, { ...options, work: 'work' }, async git => {
      git.stdout.resume()
      git.stderr.resume()
      git.stdin?.end(input)
      if (!(await git.done)) throw new GitFailed('git pack-objects could not put packs together')
    })
    const made = (await readdir(dir)).find(file => file.endsWith('.pack'))?.slice(0, -'.pack'.length)
    const isWanted = await use(made && path.join(dir, made))
    if (made === undefined || !isWanted) return
    for (const ending of ['pack', 'idx'])
      await rename(
        path.join(dir, `${made}.${ending}`),
        path.join(options.gitDir, 'objects', 'pack', `${made}.${ending}`),
      )
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
