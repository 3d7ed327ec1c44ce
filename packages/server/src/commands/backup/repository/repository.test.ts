// Backups to a repository, made by the real program: what is sent, what comes back, and what happens when something fails.
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databases } from '../../../testing/databases.ts'
import { WorkingCopy } from '../../../testing/git.ts'
import { freshPostgres } from '../../../testing/postgres.ts'
import { S3Server } from '../../../testing/s3-server.ts'
import { at, call, deploy, type Env, killedAt, svcd, useDirectory, whileServing } from '../testbed.ts'

useDirectory()

const passphrase = 'correct horse battery'
const settings = (url: string, more: Env = {}): Env => ({
  SVCD_BACKUP_URL: url,
  SVCD_BACKUP_PASSPHRASE: passphrase,
  // Only those that the tests make.
  SVCD_BACKUP_SCHEDULE: 'off',
  ...more,
})

const json = (token: string) => ({ token, type: 'application/json' })

/** An account with a project. Returns its token. */
async function makePlatform(data: string, env: Env): Promise<string> {
  expect(await svcd(data, ['migrate'], env)).toMatchObject({ code: 0 })
  const token = (await svcd(data, ['users', 'create', 'ada', '--token'], env)).stdout.trim()
  await whileServing(
    data,
    async port => {
      await call(port, '/projects', { ...json(token), method: 'POST', body: '{"name":"blog"}' })
    },
    env,
  )
  return token
}

/** Makes a backup, and returns its id and how many pieces were sent. */
async function runBackup(data: string, env: Env): Promise<{ id: string; pieces: number }> {
  const { code, stdout, stderr } = await svcd(data, ['backup', 'run'], env)
  expect([code, stderr]).toEqual([0, ''])
  const [, id, pieces] = /^Made the backup (\S+) .* Sent (\d+) new pieces/.exec(stdout) ?? []
  return { id: id!, pieces: Number(pieces) }
}

const packsIn = async (data: string) => {
  const names = (await readdir(at(data, 'packs'))).filter(name => name.endsWith('.pack')).sort()
  return await Promise.all(names.map(async name => [name, await readFile(at(data, 'packs', name))] as const))
}

const piecesIn = async (folder: string) =>
  (await readdir(at(folder))).filter(name => name.startsWith('piece_')).sort()

/** Changes one byte in the middle of a file. */
async function flip(file: string): Promise<void> {
  const bytes = await readFile(file)
  bytes[Math.floor(bytes.length / 2)]! ^= 1
  await writeFile(file, bytes)
}

describe.each(databases())('a platform on %s', engine => {
  async function emptyDatabase(): Promise<Env> {
    if (engine === 'sqlite') return {}
    const database = await freshPostgres()
    onTestFinished(() => database.drop())
    return { SVCD_DATABASE_URL: database.url }
  }

  test('comes back from its backups as it was at each of them, and only what is new is sent', async () => {
    const [data, folder] = [`first-${engine}`, `folder-${engine}`]
    const env = settings(at(folder), await emptyDatabase())
    const token = await makePlatform(data, env)
    const ids: string[] = []
    await whileServing(
      data,
      async port => {
        await call(port, '/projects/blog/env/KEY', {
          ...json(token),
          method: 'PUT',
          body: '{"value":"secret"}',
        })
        await deploy(port, token, 'blog', 'the first page')
        const copy = await WorkingCopy.of(`http://ada:${token}@127.0.0.1:${port}/git/ada/notes.git`)
        onTestFinished(() => copy.remove())
        await copy.commit({ 'note.txt': 'kept' })
        expect((await copy.git('push', 'origin', 'main')).code).toBe(0)
        const first = await runBackup(data, env)
        expect(first.pieces).toBeGreaterThanOrEqual(4)
        const before = await piecesIn(folder)
        await deploy(port, token, 'blog', 'the second page')
        const second = await runBackup(data, env)
        // The deployment, perhaps its compressed variants, and the database.
        expect(second.pieces).toBeGreaterThanOrEqual(2)
        expect(second.pieces).toBeLessThanOrEqual(4)
        // The older backup of the same day went, and with it the piece that it alone needed: its database.
        const after = new Set(await piecesIn(folder))
        expect(before.filter(piece => !after.has(piece))).toHaveLength(1)
        ids.push(first.id, second.id)
      },
      env,
    )
    const listed = await svcd(data, ['backup', 'list'], env)
    expect(listed.stdout.split('\n').filter(Boolean)).toEqual([expect.stringContaining(ids[1]!)])
    const verified = await svcd(data, ['backup', 'verify'], env)
    expect(verified).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        / is whole: \d+ packs with all their files, 1 repositories, the database/,
      ),
      stderr: '',
    })
    expect((await readdir(at(data))).filter(name => name.startsWith('backup-verify'))).toEqual([])

    const elsewhere = settings(at(folder), await emptyDatabase())
    const again = `again-${engine}`
    const restored = await svcd(again, ['restore', '--at', 'latest'], elsewhere)
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Restored the platform of 2/) })
    const [from, to] = [await packsIn(data), await packsIn(again)]
    for (const [name, bytes] of to)
      expect(from.find(([other]) => other === name)?.[1].equals(bytes), name).toBe(true)
    await whileServing(
      again,
      async port => {
        expect((await call(port, '/', { host: 'blog.localhost' })).text).toBe('the second page')
        expect((await call(port, '/projects/blog/env', { token })).text).toContain('"value":"secret"')
        const copy = await WorkingCopy.of(`http://ada:${token}@127.0.0.1:${port}/git/ada/notes.git`)
        onTestFinished(() => copy.remove())
        expect((await copy.git('ls-remote', 'origin')).stdout).toContain('refs/heads/main')
      },
      elsewhere,
    )
  })
})

test('the repository shows no name and no content of a site, and opens with its passphrase only', async () => {
  const env = settings(`file://${at('hidden-repository')}`)
  const token = await makePlatform('hidden', env)
  let deployment = ''
  await whileServing('hidden', async port => {
    deployment = await deploy(port, token, 'blog', 'words of a page that nobody else may read')
  })
  await runBackup('hidden', env)
  const names = await readdir(at('hidden-repository'))
  const contents = await Promise.all(names.map(name => readFile(at('hidden-repository', name))))
  for (const word of [deployment, 'blog', 'ada', 'words of a page', token]) {
    expect(names.join(' ')).not.toContain(word)
    for (const content of contents) expect(content.includes(word), word).toBe(false)
  }
  const wrong = { ...env, SVCD_BACKUP_PASSPHRASE: 'another passphrase' }
  for (const args of [
    ['backup', 'run'],
    ['backup', 'list'],
    ['backup', 'verify'],
    ['restore', '--at', 'latest'],
  ]) {
    const { code, stdout, stderr } = await svcd(args[0] === 'restore' ? 'nowhere' : 'hidden', args, wrong)
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/SVCD_BACKUP_PASSPHRASE is not the passphrase of the backups at .*\.\n$/),
    ])
  }
  expect((await svcd('hidden', ['backup', 'verify'], env)).code).toBe(0)
})

describe('a repository', () => {
  test('names what is damaged in it, and a restore of that changes nothing', async () => {
    const env = settings(at('damaged-repository'))
    const token = await makePlatform('damaged', env)
    let deployment = ''
    await runBackup('damaged', env)
    await whileServing('damaged', async port => {
      deployment = await deploy(port, token, 'blog', 'a page that will be damaged')
    })
    await runBackup('damaged', env)
    const pieces = await piecesIn('damaged-repository')
    for (const piece of pieces) await copyFile(at('damaged-repository', piece), at(`${piece}.whole`))
    let named = false
    for (const piece of pieces) {
      const file = at('damaged-repository', piece)
      await flip(file)
      const { code, stderr } = await svcd('damaged', ['backup', 'verify'], env)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/ is damaged:\n {2}\S+.*: /)])
      named ||= stderr.includes(`packs/${deployment}.pack`)
      const restored = await svcd('unharmed', ['restore', '--at', 'latest'], env)
      expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining('is damaged: ')])
      expect(await readdir(at('unharmed'))).toEqual(['svcd.lock'])
      await rm(file)
      expect((await svcd('damaged', ['backup', 'verify'], env)).stderr).toContain('it is missing')
      await copyFile(at(`${piece}.whole`), file)
    }
    expect(named).toBe(true)
    expect((await svcd('damaged', ['backup', 'verify'], env)).code).toBe(0)

    // A piece that is lost is sent again.
    await rm(at('damaged-repository', pieces[0]!))
    await runBackup('damaged', env)
    expect((await svcd('damaged', ['backup', 'verify'], env)).code).toBe(0)
  })

  test('of another platform, in the data directory or without a passphrase is refused', async () => {
    const env = settings(at('taken'))
    await makePlatform('owner', env)
    await runBackup('owner', env)
    await makePlatform('stranger', env)
    expect(await svcd('stranger', ['backup', 'run'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has the backups of another platform'),
    })
    for (const [url, words] of [
      [at('owner', 'backups'), 'SVCD_BACKUP_URL is in the data directory'],
      [at('owner'), 'SVCD_BACKUP_URL is in the data directory'],
    ] as const)
      expect((await svcd('owner', ['backup', 'run'], settings(url))).stderr).toContain(words)
    await writeFile(at('file'), '')
    expect(await svcd('owner', ['backup', 'run'], settings(at('file', 'folder')))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^svcd: The backup was not made: ENOTDIR: not a directory, .*file\/folder/,
      ),
    })
    for (const [more, words] of [
      [{ SVCD_BACKUP_URL: at('taken') }, 'SVCD_BACKUP_PASSPHRASE is missing'],
      [{}, 'SVCD_BACKUP_URL is not set'],
      [settings(at('empty')), 'There are no backups at '],
    ] as const)
      expect(await svcd('owner', ['backup', 'list'], more)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(words),
      })
  })
})

describe('a backup to S3', () => {
  test('that is killed leaves the last good one as it was, and the next one sends only the rest', async () => {
    const s3 = await S3Server.start()
    onTestFinished(() => s3.stop())
    const env = settings(s3.storageUrl)
    const token = await makePlatform('killed', env)
    await whileServing('killed', async port => {
      for (const page of ['one', 'two', 'three']) await deploy(port, token, 'blog', page)
    })
    const first = await runBackup('killed', env)
    await whileServing('killed', async port => {
      for (const page of ['four', 'five', 'six']) await deploy(port, token, 'blog', page)
    })
    const isPiece = ({ method, key }: { method: string; key: string }) =>
      method === 'PUT' && key.includes('piece_')
    let puts = 0
    let hung!: () => void
    const hangs = new Promise<void>(resolve => {
      hung = resolve
    })
    s3.mishap = seen => {
      if (!isPiece(seen) || ++puts < 3) return undefined
      hung()
      return 'hang'
    }
    await killedAt('killed', ['backup', 'run'], env, () => hangs)
    s3.mishap = () => undefined
    expect((await svcd('killed', ['backup', 'list'], env)).stdout.trim().split('\n')).toEqual([
      expect.stringContaining(first.id),
    ])
    expect((await svcd('killed', ['backup', 'verify'], env)).code).toBe(0)
    const sent = new Set(s3.leftovers())
    const from = s3.calls.length
    await runBackup('killed', env)
    const again = s3.calls.slice(from).filter(seen => isPiece(seen) && sent.has(seen.key))
    expect(again).toEqual([])
    expect((await svcd('killed', ['backup', 'verify'], env)).code).toBe(0)
    expect((await svcd('risen', ['restore', '--at', 'latest'], env)).code).toBe(0)
    await whileServing('risen', async port => {
      expect((await call(port, '/', { host: 'blog.localhost' })).text).toBe('six')
    })
  })

  test('of a platform on PostgreSQL and S3 can be restored to SQLite and the local disk', async () => {
    const [database, s3, backups] = [await freshPostgres(), await S3Server.start(), await S3Server.start()]
    onTestFinished(() => database.drop())
    onTestFinished(() => s3.stop())
    onTestFinished(() => backups.stop())
    const place = settings(backups.storageUrl)
    const env = { ...place, SVCD_DATABASE_URL: database.url, SVCD_STORAGE_URL: s3.storageUrl }
    const token = await makePlatform('far', env)
    await whileServing('far', async port => void (await deploy(port, token, 'blog', 'far away')), env)
    await runBackup('far', env)
    const calls = s3.calls.length
    await runBackup('far', env)
    // Packs that were sent before are not even looked at.
    expect(s3.calls.slice(calls).filter(({ key }) => key.endsWith('.pack'))).toEqual([])
    expect((await svcd('near', ['restore', '--at', 'latest'], place)).code).toBe(0)
    await whileServing('near', async port => {
      expect((await call(port, '/', { host: 'blog.localhost' })).text).toBe('far away')
    })
    const other = { ...env, SVCD_BACKUP_URL: env.SVCD_STORAGE_URL }
    expect((await svcd('far', ['backup', 'run'], other)).stderr).toContain('is where the deployments are')
  })
})

test('a backup over SFTP goes to the host that the URL names, and comes back from there', async () => {
  // Stands in for ssh: OpenSSH's server on this machine, and a note of what ssh was asked for.
  await mkdir(at('bin'))
  const stub = `#!/bin/sh\nprintf '%s\\n' "$*" >> ${at('asked')}\nexec /usr/lib/openssh/sftp-server\n`
  await writeFile(at('bin', 'ssh'), stub, { mode: 0o755 })
  const path = { PATH: `${at('bin')}:${process.env.PATH}` }
  const env = settings(`sftp://ada@backup.example:2222${at('sftp', 'here')}`, path)
  const token = await makePlatform('sent', env)
  await whileServing('sent', async port => void (await deploy(port, token, 'blog', 'far away')), env)
  expect((await runBackup('sent', env)).pieces).toBeGreaterThanOrEqual(3)
  expect((await runBackup('sent', env)).pieces).toBeLessThanOrEqual(2)
  expect((await svcd('sent', ['backup', 'verify'], env)).code).toBe(0)
  expect(await svcd('got', ['restore', '--at', 'latest'], env)).toMatchObject({ code: 0, stderr: '' })
  await whileServing('got', async port => {
    expect((await call(port, '/', { host: 'blog.localhost' })).text).toBe('far away')
  })
  const asked = await readFile(at('asked'), 'utf8')
  expect(asked).toMatch(
    /^-o BatchMode=yes -o StrictHostKeyChecking=yes .*-p 2222 -l ada -s -- backup.example sftp\n/,
  )
})

test('a damaged deployment is in the backup, and the whole one as soon as there is one again', async () => {
  const env = settings(at('mended-repository'))
  const token = await makePlatform('mended', env)
  let id = ''
  await whileServing('mended', async port => {
    id = await deploy(port, token, 'blog', 'a page that is right')
  })
  const file = at('mended', 'packs', `${id}.pack`)
  await copyFile(file, at('right.pack'))
  const bytes = await readFile(file)
  bytes.write('w', bytes.indexOf('right'))
  await writeFile(file, bytes)
  for (let time = 0; time < 2; time++) {
    const made = await svcd('mended', ['backup', 'run'], env)
    expect([made.code, made.stdout]).toEqual([1, expect.stringContaining('Made the backup')])
    expect(made.stderr).toContain(`${id}: index.html do not match their checksums`)
  }
  expect((await svcd('mended', ['backup', 'verify'], env)).stderr).toContain(`${id}.pack: index.html do not`)
  await copyFile(at('right.pack'), file)
  await runBackup('mended', env)
  expect(await svcd('mended', ['backup', 'verify'], env)).toMatchObject({ code: 0, stderr: '' })
})
