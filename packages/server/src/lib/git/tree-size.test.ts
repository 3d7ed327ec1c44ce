import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { requireFewPaths } from './tree-size.ts'

/** A commit whose folders are known by their ids alone. */
function commitOf({ folders }: { folders: number }) {
  const gitDir = mkdtempSync(path.join(tmpdir(), 'svc-trees-'))
  onTestFinished(() => rmSync(gitDir, { recursive: true }))
  const git = (input: string, ...args: string[]) =>
    execFileSync('git', ['--git-dir', gitDir, ...args], { input, encoding: 'utf8' }).trim()
  git('', 'init', '--bare', '--quiet')
  const lines = Array.from(
    { length: folders },
    (_, at) => `040000 tree ${randomBytes(20).toString('hex')}\t${at}`,
  )
  const tree = git(lines.join('\n'), 'mktree', '--missing')
  const author = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com']
  return { gitDir, commit: git('', ...author, 'commit-tree', '-m', 'x', tree) }
}

test('a commit with very many folders is refused before its folders are read', async () => {
  const { gitDir, commit } = commitOf({ folders: 101_000 })
  const looked = requireFewPaths([commit], { owner: 'ada', gitDir })
  await expect(looked).rejects.toThrow('more than 200,000 files and folders')
})

test('half as many folders are read', async () => {
  const { gitDir, commit } = commitOf({ folders: 50_000 })
  await requireFewPaths([commit], { owner: 'ada', gitDir })
})
