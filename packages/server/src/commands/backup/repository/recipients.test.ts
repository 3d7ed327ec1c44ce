// Backups for a public key of age: the server adds to them, lists and checks them, and cannot open them.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { databases } from '../../../testing/databases.ts'
import { freshPostgres } from '../../../testing/postgres.ts'
import { at, call, deploy, type Env, svcd, useDirectory, whileServing } from '../testbed.ts'
import { readIdentity, sealKey } from './age.ts'

useDirectory()

const run = promisify(execFile)

/** Made with the program age. Returns the public key; the private key is in the file. */
async function keygen(name: string): Promise<string> {
  await run('age-keygen', ['-o', at(name)])
  return /public key: (age1\w+)/.exec(await readFile(at(name), 'utf8'))![1]!
}

let recipient = ''
beforeAll(async () => {
  recipient = await keygen('key.txt')
})

const settings = (url: string, more: Env = {}): Env => ({
  SVCD_BACKUP_URL: url,
  SVCD_BACKUP_RECIPIENT: recipient,
  SVCD_BACKUP_SCHEDULE: 'off',
  ...more,
})

const json = (token: string) => ({ token, type: 'application/json' })

/** An account with a project. Returns its token. */
async function makePlatform(data: string, env: Env): Promise<string> {
  expect(await svcd(data, ['migrate'], env)).toMatchObject({ code: 0 })
  const token = (await svcd(data, ['users', 'create', 'ada', '--token'], env)).stdout.trim()
  const body = '{"name":"blog"}'
  await whileServing(
    data,
    async port => void (await call(port, '/projects', { ...json(token), method: 'POST', body })),
    env,
  )
  return token
}

async function runBackup(data: string, env: Env, ...more: string[]): Promise<{ id: string; pieces: number }> {
  const { code, stdout, stderr } = await svcd(data, ['backup', 'run', ...more], env)
  expect([code, stderr]).toEqual([0, ''])
  const [, id, pieces] = /^Made the backup (\S+) .* Sent (\d+) new pieces/.exec(stdout) ?? []
  return { id: id!, pieces: Number(pieces) }
}

const piecesIn = async (folder: string) =>
  (await readdir(at(folder))).filter(name => name.startsWith('piece_')).sort()

describe.each(databases())('a platform on %s whose backups are for a public key', engine => {
  test('adds to its backups without the private key, and only that brings them back', async () => {
    const [data, folder] = [`server-${engine}`, `backups-${engine}`]
    const emptyDatabase = async (): Promise<Env> => {
      if (engine === 'sqlite') return {}
      const database = await freshPostgres()
      onTestFinished(() => database.drop())
      return { SVCD_DATABASE_URL: database.url }
    }
    const env = settings(at(folder), await emptyDatabase())
    const token = await makePlatform(data, env)
    await whileServing(data, async port => void (await deploy(port, token, 'blog', 'the first page')), env)
    const first = await runBackup(data, env)
    expect(first.pieces).toBeGreaterThanOrEqual(3)
    await whileServing(data, async port => void (await deploy(port, token, 'blog', 'the second page')), env)
    // A rotation of the platform's keys keeps what the server needs for its lists.
    expect((await svcd(data, ['keys', 'rotate'], env)).code).toBe(0)
    const second = await runBackup(data, env)
    expect(second.pieces).toBeLessThanOrEqual(5)
    expect((await runBackup(data, env)).pieces).toBeLessThanOrEqual(1)
    expect((await svcd(data, ['backup', 'list'], env)).stdout).toMatch(/^\d{8}_\d{6}_\w+ .* packs, svcd/)

    // What the server can check, and what not.
    const unopened = await svcd(data, ['backup', 'verify'], env)
    expect([unopened.code, unopened.stderr]).toEqual([0, ''])
    expect(unopened.stdout).toMatch(/^The backup \S+ is there: all its \d+ pieces are what was sent, /)
    expect(unopened.stdout).toContain('Not checked, because only the private key opens them: ')
    const opened = await svcd(data, ['backup', 'verify', '--identity', at('key.txt')], env)
    expect(opened).toMatchObject({ code: 0, stdout: expect.stringMatching(/ is whole: \d+ packs with all/) })
    const doctor = await svcd(data, ['doctor'], env)
    expect(doctor.stdout).toMatch(new RegExp(`^ok {4}backups: .* for ${recipient}`, 'm'))

    const elsewhere = settings(at(folder), await emptyDatabase())
    for (const [args, words] of [
      [[], 'Only a private key opens the backups at'],
      [['--identity', at('other.txt')], `are for ${recipient}: the private key in`],
    ] as const) {
      if (args.length > 0) await keygen('other.txt')
      const refused = await svcd(`again-${engine}`, ['restore', '--at', 'latest', ...args], elsewhere)
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(words) })
      await rm(at('other.txt'), { force: true })
    }
    const restored = await svcd(
      `again-${engine}`,
      ['restore', '--at', 'latest', '--identity', at('key.txt')],
      elsewhere,
    )
    expect(restored).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored the platform of 2/),
      stderr: expect.stringContaining('nothing proves who wrote it'),
    })
    await whileServing(
      `again-${engine}`,
      async port => {
        expect((await call(port, '/', { host: 'blog.localhost' })).text).toBe('the second page')
      },
      elsewhere,
    )
    // It goes on where the lost one ended.
    expect((await runBackup(`again-${engine}`, elsewhere)).pieces).toBeLessThanOrEqual(3)
    const exported = ['export', 'project', 'blog', at(`${engine}.tar`), '--at', 'latest']
    expect((await svcd(data, exported, env)).stderr).toContain('Only a private key opens')
    expect((await svcd(data, [...exported, '--identity', at('key.txt')], env)).code).toBe(0)
  })
})

test('what the server has opens no piece, and a changed or lost one is named without the private key', async () => {
  const env = settings(at('sealed'))
  const token = await makePlatform('sealing', env)
  await whileServing('sealing', async port => void (await deploy(port, token, 'blog', 'words of the page')))
  await runBackup('sealing', env)
  for (const name of await readdir(at('sealed'))) {
    const bytes = await readFile(at('sealed', name))
    for (const word of ['words of the page', 'blog', 'AGE-SECRET-KEY'])
      expect(bytes.includes(word)).toBe(false)
  }
  for (const piece of await piecesIn('sealed')) {
    const whole = await readFile(at('sealed', piece))
    const changed = Buffer.from(whole)
    changed[changed.length - 5]! ^= 1
    await writeFile(at('sealed', piece), changed)
    for (const identity of [[], ['--identity', at('key.txt')]]) {
      const { code, stderr } = await svcd('sealing', ['backup', 'verify', ...identity], env)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/ is damaged:\n {2}\S+.*: /)])
    }
    await rm(at('sealed', piece))
    expect((await svcd('sealing', ['backup', 'verify'], env)).stderr).toContain('it is missing')
    await writeFile(at('sealed', piece), whole)
  }
  expect((await svcd('sealing', ['backup', 'verify'], env)).code).toBe(0)
})

test('the keys are files of age: its program opens what svcd seals, and svcd opens what it seals', async () => {
  const key = randomBytes(32)
  await keygen('second.txt')
  await writeFile(at('sealed.age'), await sealKey(key, [recipient]))
  const { stdout } = await run('age', ['-d', '-i', at('key.txt'), at('sealed.age')], { encoding: 'buffer' })
  expect((stdout as unknown as Buffer).equals(key)).toBe(true)
  await expect(run('age', ['-d', '-i', at('second.txt'), at('sealed.age')])).rejects.toThrow()

  await writeFile(at('plain'), key)
  await run('age', ['-r', recipient, '-o', at('by-age'), at('plain')])
  const open = await readIdentity(at('key.txt'))
  expect((await open(await readFile(at('by-age')))).equals(key)).toBe(true)
  const other = await readIdentity(at('second.txt'))
  await expect(other(await readFile(at('by-age')))).rejects.toThrow('does not open it')
  await expect(readIdentity(at('plain'))).rejects.toThrow('There is no private key')

  // The key of a piece stands at its beginning.
  const env = settings(at('pieces'))
  await makePlatform('of-age', env)
  await runBackup('of-age', env)
  const [piece] = await piecesIn('pieces')
  const bytes = await readFile(at('pieces', piece!))
  await writeFile(at('head.age'), bytes.subarray(10, 10 + bytes.readUInt16BE(8)))
  const opened = await run('age', ['-d', '-i', at('key.txt'), at('head.age')], { encoding: 'buffer' })
  expect((opened.stdout as unknown as Buffer).length).toBe(32)
})

test('a repository stays with what it was made with', async () => {
  const env = settings(at('kept'))
  await makePlatform('keeping', env)
  await runBackup('keeping', env)
  const other = await keygen('third.txt')
  const byPassphrase = {
    ...{ SVCD_BACKUP_URL: at('kept'), SVCD_BACKUP_SCHEDULE: 'off' },
    SVCD_BACKUP_PASSPHRASE: 'correct horse battery',
  }
  for (const [wrong, words] of [
    [{ ...env, SVCD_BACKUP_RECIPIENT: other }, `are encrypted with ${recipient}. Set SVCD_BACKUP_RECIPIENT`],
    [byPassphrase, `are encrypted with ${recipient}. Set SVCD_BACKUP_RECIPIENT`],
    [{ ...env, ...byPassphrase }, 'is set, and so is SVCD_BACKUP_PASSPHRASE'],
    [{ ...env, SVCD_BACKUP_RECIPIENT: `${recipient.slice(0, -1)}q` }, 'must be a public key of age'],
    [{ ...env, SVCD_BACKUP_RECIPIENT: 'AGE-SECRET-KEY-1ABC' }, 'The private key stays off this machine'],
  ] as const) {
    const { code, stderr } = await svcd('keeping', ['backup', 'run'], wrong as Env)
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)])
    expect(stderr).not.toContain('AGE-SECRET-KEY-1ABC')
  }
  const withPassphrase = { ...byPassphrase, SVCD_BACKUP_URL: at('by-passphrase') }
  await runBackup('keeping', withPassphrase)
  expect(
    (await svcd('keeping', ['backup', 'run'], { ...env, SVCD_BACKUP_URL: at('by-passphrase') })).stderr,
  ).toContain('are encrypted with a passphrase')

  // A platform that lost the key of its lists gets it back from the private key.
  const again = await makePlatform('without-lists', env)
  expect(again).not.toBe('')
  expect((await svcd('without-lists', ['backup', 'list'], env)).stderr).toContain('Only a private key opens')
  expect((await svcd('without-lists', ['backup', 'list', '--identity', at('key.txt')], env)).code).toBe(0)
})
