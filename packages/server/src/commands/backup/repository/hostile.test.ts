// Repositories that somebody has changed who knows the passphrase, and the ways to name a backup.
import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readSettings } from '../../../config.ts'
import { at, svcd, useDirectory } from '../testbed.ts'
import { openOwnRepository } from './open.ts'
import type { Repository } from './repository.ts'

useDirectory()

const envOf = (folder: string) => ({
  SVCD_BACKUP_URL: at(folder),
  SVCD_BACKUP_PASSPHRASE: 'correct horse battery',
})

const repositoryAt = (folder: string): Promise<Repository> =>
  openOwnRepository(readSettings({ ...envOf(folder), SVCD_DATA_DIR: at('data') }), {
    platform: 'platform',
    listKeys: { find: async () => undefined, save: async () => undefined },
  })

async function* content(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

/** Writes a snapshot with these files, whose content is `x`, unless they say so. */
async function writeSnapshot(
  repository: Repository,
  files: { name: string; size?: number; text?: string }[],
  more: object = {},
): Promise<string> {
  const pieces = []
  for (const [i, { name, size, text = 'x' }] of files.entries()) {
    const id = repository.pieceIdOf([Math.random(), i])
    await repository.put(id, content(text))
    pieces.push({ id, files: [[name, size ?? text.length] as [string, number]] })
  }
  const about = { format: 1, svcd: '1.0.0', created_at: '2026-01-01T00:00:00Z', has_key: false } as const
  return await repository.writeSnapshot({ ...about, pieces, ...more })
}

const db = { name: 'svc.db' }
const repository = 'git/rep_0123456789abcdef.git/refs'

test('a snapshot with a name or a size that no backup has is refused, and nothing is written', async () => {
  const opened = await repositoryAt('hostile')
  const cases: Record<string, Parameters<typeof writeSnapshot>[1]> = {
    'a path to another directory': [{ name: 'packs/../../out' }, db],
    'an absolute path': [{ name: '/packs/a.pack' }, db],
    'a file of another name': [{ name: 'svcd.lock' }, db],
    'a directory as its key': [{ name: 'secret.key/x' }, db],
    'a pack without a proper name': [{ name: 'packs/A B.pack' }, db],
    'a file twice': [db, db],
    'a file that is also a directory': [{ name: `${repository}/a` }, { name: `${repository}/a/b` }, db],
    'a size beyond its end': [{ ...db, size: 2 ** 40 }],
    'content beyond its size': [{ ...db, text: 'x'.repeat(5_000_000), size: 1 }],
    'no database': [{ name: 'node-id' }],
    'a database that is none': [db],
  }
  for (const [what, files] of Object.entries(cases)) {
    const id = await writeSnapshot(opened, files)
    const restored = await svcd('victim', ['restore', '--at', id], {
      ...envOf('hostile'),
      SVCD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    })
    expect([what, restored.code, restored.stderr]).toEqual([
      what,
      1,
      expect.stringMatching(/damaged|no tables/),
    ])
    expect([what, await readdir(at('victim'))]).toEqual([what, ['svcd.lock']])
    const verified = await svcd('victim', ['backup', 'verify', id], envOf('hostile'))
    expect([what, verified.code]).toEqual([what, 1])
    expect([what, await readdir(at('victim'))]).toEqual([what, ['svcd.lock']])
  }
  await opened.close()
})

test('a backup is found by its id, by a time, and as the latest', async () => {
  const opened = await repositoryAt('times')
  const ids: string[] = []
  for (const day of ['2026-01-01', '2026-01-02', '2026-01-03'])
    ids.push(await writeSnapshot(opened, [db], { created_at: `${day}T03:00:00Z` }))
  const [first, second, third] = ids as [string, string, string]
  for (const [wanted, found] of [
    [second, second],
    ['latest', third],
    ['2026-01-02T03:00:00Z', second],
    ['2026-01-03', second],
    ['2026-01-02T02:00:00Z', first],
    ['2030-01-01', third],
  ] as const)
    expect([wanted, await opened.find(wanted)]).toEqual([wanted, found])
  await expect(opened.find('2025-12-31')).rejects.toThrow('There is no backup from before 2025-12-31')
  await expect(opened.find('yesterday')).rejects.toThrow("There is no backup 'yesterday'")
  await opened.close()
})
