import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSingleFile } from '../../store/sqlite/single-file.ts'
import { WorkingCopy } from '../../testing/git.ts'
import { makeTar, type TarEntry } from '../../testing/make-tar.ts'
import { at, call, deploy, svcd, useDirectory, whileServing } from './testbed.ts'

useDirectory()

async function workingCopy(port: number, token: string, repo: string): Promise<WorkingCopy> {
  const copy = await WorkingCopy.of(`http://ada:${token}@127.0.0.1:${port}/git/ada/${repo}.git`)
  onTestFinished(() => copy.remove())
  return copy
}

async function expectRefusal(data: string, name: string, content: Buffer): Promise<void> {
  await writeFile(at(name), content)
  const { code, stderr } = await svcd(data, ['restore', at(name)])
  expect([name, code, stderr]).toEqual([
    name,
    1,
    `svcd: ${at(name)} is not a backup of svcd, or it is incomplete or damaged.\n`,
  ])
}

describe('a backup', () => {
  test('that is made while the server runs gives the same platform elsewhere', async () => {
    await svcd('first', ['migrate'])
    const token = (await svcd('first', ['users', 'create', 'ada', '--token'])).stdout.trim()
    const site = { host: 'blog.localhost' }
    await whileServing('first', async port => {
      const json = { token, type: 'application/json' }
      await call(port, '/projects', { ...json, method: 'POST', body: '{"name":"blog"}' })
      await call(port, '/projects/blog/env/KEY', { ...json, method: 'PUT', body: '{"value":"secret"}' })
      await deploy(port, token, 'blog', 'hello')
      const copy = await workingCopy(port, token, 'notes')
      await copy.commit({ 'note.txt': 'kept' })
      // Three branches have names like those of files and directories in a repository.
      const branches = ['main', 'main:objects', 'main:team/packed-refs', 'main:tmp_1']
      expect((await copy.git('push', 'origin', ...branches)).code).toBe(0)
      const empty = { ...json, method: 'POST', body: '{"repo":"ada/empty"}' }
      expect((await call(port, '/projects/blog/repo', empty)).status).toBe(200)
      const made = await svcd('first', ['backup', at('platform.tar')])
      expect([made.code, made.stderr]).toEqual([0, ''])
    })
    expect(await readdir(at('first'))).not.toContain('backup')
    // The file holds the keys.
    expect((await stat(at('platform.tar'))).mode & 0o777).toBe(0o600)

    const { code, stdout } = await svcd('second', ['restore', at('platform.tar')])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Restored the platform of 2/)])
    await whileServing('second', async port => {
      expect(await call(port, '/', site)).toEqual({ status: 200, text: 'hello' })
      expect((await call(port, '/projects/blog/env', { token })).text).toContain('"value":"secret"')
      for (const [repo, shown] of [
        ['notes', /refs\/heads\/main\n.*objects\n.*team\/packed-refs\n.*tmp_1\n/],
        ['empty', /^$/],
      ] as const) {
        const copy = await workingCopy(port, token, repo)
        expect(await copy.git('ls-remote', 'origin')).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(shown),
        })
      }
    })
  })

  test('replaces no file and no platform', async () => {
    await svcd('third', ['migrate'])
    await writeFile(at('taken.tar'), 'mine')
    const made = await svcd('third', ['backup', at('taken.tar')])
    expect([made.code, made.stderr]).toEqual([1, expect.stringContaining('taken.tar exists already')])
    expect(await readFile(at('taken.tar'), 'utf8')).toBe('mine')
    expect((await svcd('third', ['backup', at('third.tar')])).code).toBe(0)
    const restored = await svcd('third', ['restore', at('third.tar')])
    expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining('already holds a platform')])
  })

  test('that was cut off, damaged, or is something else, is refused and leaves nothing behind', async () => {
    await svcd('fourth', ['migrate'])
    await svcd('fourth', ['backup', at('whole.tar')])
    const whole = await readFile(at('whole.tar'))
    const flipped = Buffer.from(whole)
    // In the middle of an empty page, where the database itself notices nothing.
    flipped[whole.length - 2048]! ^= 1
    const files = {
      'cut.tar': whole.subarray(0, whole.length / 2),
      // Without its last file and the end blocks.
      'short.tar': whole.subarray(0, whole.lastIndexOf('svc.db\0')),
      'longer.tar': Buffer.concat([whole, Buffer.from('x')]),
      'flipped.tar': flipped,
      'text.tar': Buffer.from('not a backup'),
      'empty.tar': Buffer.alloc(0),
    }
    for (const [name, content] of Object.entries(files)) await expectRefusal('fifth', name, content)
    expect(await readdir(at('fifth'))).toEqual(['svcd.lock'])
    expect((await svcd('fifth', ['restore', at('whole.tar')])).code).toBe(0)
  })

  const manifest = (files: number, more: object = {}): TarEntry => {
    const fields = { format: 1, svcd: '1.0.0', created_at: '2026-01-01', has_key: false, files, ...more }
    return { path: 'svcd-backup.json', content: JSON.stringify(fields) }
  }
  const db = { path: 'svc.db', content: 'x' }
  const repository = 'git/rep_0123456789abcdef.git/refs'
  test.each<[string, TarEntry[]]>([
    ['a path to another directory', [manifest(2), { path: 'packs/../../out', content: 'x' }, db]],
    ['an absolute path', [manifest(2), { path: '/packs/a.pack', content: 'x' }, db]],
    ['a file of another name', [manifest(2), { path: 'svcd.lock', content: 'x' }, db]],
    ['a directory as its key', [manifest(2), { path: 'secret.key/x', content: 'x' }, db]],
    ['a directory as its database', [manifest(1), { path: 'svc.db/x', content: 'x' }]],
    ['a directory as a pack', [manifest(2), { path: 'packs/a.pack/x', content: 'x' }, db]],
    ['a pack without a proper name', [manifest(2), { path: 'packs/A B.pack', content: 'x' }, db]],
    ['a file twice', [manifest(2), db, db]],
    [
      'a file that is also a directory',
      [manifest(3), { path: `${repository}/a` }, { path: `${repository}/a/b` }, db],
    ],
    ['a link as its database', [manifest(0), { path: 'svc.db', type: '2' }]],
    ['a size beyond its end', [manifest(1), { path: 'svc.db', content: 'x', size: 2 ** 32 }]],
    ['no database', [manifest(0)]],
    ['no key', [manifest(1, { has_key: true }), db]],
    ['a manifest of another form', [manifest(1, { files: '1' }), db]],
    ['null as its manifest', [{ path: 'svcd-backup.json', content: 'null' }, db]],
    ['a manifest that is not the first file', [db, manifest(1)]],
  ])('with %s is refused', async (_, entries) => {
    await expectRefusal('hostile', 'hostile.tar', makeTar(entries))
    expect(await readdir(at('hostile'))).toEqual(['svcd.lock'])
  })

  test('of a platform with its key in the settings is restored with that key only', async () => {
    const key = { SVCD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
    await svcd('sixth', ['migrate'], key)
    const made = await svcd('sixth', ['backup', at('keyless.tar')], key)
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('SVCD_SECRET_KEY')])
    const without = await svcd('seventh', ['restore', at('keyless.tar')])
    expect([without.code, without.stderr]).toEqual([
      1,
      expect.stringContaining('Set the same SVCD_SECRET_KEY'),
    ])
    expect((await svcd('seventh', ['restore', at('keyless.tar')], key)).code).toBe(0)
  })

  const restoreUsage =
    'svcd: Usage: svcd restore <file>, or svcd restore --at <time or backup> [--identity <file>]\n'
  test.each([
    [['backup'], 'svcd: Usage: svcd backup <file>, or svcd backup run, list or verify\n'],
    [['restore'], restoreUsage],
    [['restore', 'a', 'b'], restoreUsage],
    [['restore', '/nowhere/x.tar'], 'svcd: There is no file /nowhere/x.tar.\n'],
  ])('%j is refused', async (args, stderr) => {
    expect(await svcd('eighth', args)).toEqual({ code: 1, stdout: '', stderr })
  })

  test('has the key file that is still needed beside a key in the settings', async () => {
    const key = { SVCD_SECRET_KEY: Buffer.alloc(32, 8).toString('base64') }
    await svcd('ninth', ['migrate'])
    expect((await svcd('ninth', ['backup', at('ninth.tar')], key)).code).toBe(0)
    expect((await svcd('tenth', ['restore', at('ninth.tar')], key)).code).toBe(0)
    expect(await readFile(at('tenth', 'secret.key'))).toEqual(await readFile(at('ninth', 'secret.key')))
  })

  test('of a newer version is refused', async () => {
    await svcd('newer', ['migrate'])
    await svcd('newer', ['backup', at('now.tar')])
    await svcd('newest', ['restore', at('now.tar')])
    const database = openSingleFile(at('newest', 'svc.db'))
    database.exec("insert into kysely_migration (name, timestamp) values ('999_later', '')")
    database.close()
    expect((await svcd('newest', ['backup', at('newest.tar')])).code).toBe(0)
    const { code, stderr } = await svcd('older', ['restore', at('newest.tar')])
    expect([code, stderr]).toEqual([1, expect.stringContaining('A newer version of svcd made the database')])
    expect(await readdir(at('older'))).toEqual(['svcd.lock'])
  })

  test('that is restored beside the newest rows of another database is refused', async () => {
    await svcd('eleventh', ['migrate'])
    await svcd('eleventh', ['backup', at('eleventh.tar')])
    await svcd('twelfth', ['restore', '/dev/null'])
    await writeFile(at('twelfth', 'svc.db-wal'), 'rows')
    const { code, stderr } = await svcd('twelfth', ['restore', at('eleventh.tar')])
    expect([code, stderr]).toEqual([1, expect.stringContaining('already holds a platform (svc.db-wal)')])
  })

  test('of a database that does not answer is refused in words', async () => {
    const env = { SVCD_DATABASE_URL: 'postgres://127.0.0.1:1/x' }
    await svcd('thirteenth', ['migrate'])
    for (const [verb, data] of [
      ['backup', 'thirteenth'],
      ['restore', 'fourteenth'],
    ] as const) {
      const { code, stderr } = await svcd(data, [verb, verb === 'backup' ? at('pg.tar') : '/dev/null'], env)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^svcd: .* does not answer \(ECONNREFUSED\)/)])
    }
    expect(await readdir(at('fourteenth'))).toEqual(['svcd.lock'])
  })
})
