// The adapter against OpenSSH's own server, which speaks on its input and output as it does behind ssh.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { packsConformance } from '../conformance.ts'
import { SftpPacks } from './packs.ts'
import { readSftpUrl } from './url.ts'

const server = '/usr/lib/openssh/sftp-server'
const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function freshDir(): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-sftp-'))
  undo.push(() => rm(dir, { recursive: true }))
  return dir
}

async function openAt(dir: string): Promise<SftpPacks> {
  const packs = await SftpPacks.open({ command: [server], dir, host: 'the test' })
  undo.push(() => packs.close())
  return packs
}

describe('packs over SFTP', () => {
  packsConformance(
    async () => {
      const dir = await freshDir()
      const [packs, other] = [await openAt(dir), await openAt(dir)]
      return { packs, reopen: () => other, leftovers: () => readdir(dir) }
    },
    { openOutlivesDelete: true },
  )

  test('a directory that is missing is made, with those above it', async () => {
    const dir = path.join(await freshDir(), 'deep', 'er')
    const packs = await openAt(dir)
    expect(await packs.open('dep_a')).toBeUndefined()
    expect(await packs.claim('one')).toBe('one')
    expect(await readdir(dir)).toEqual(['owner'])
  })

  test.each([
    [['false'], 'the connection ended'],
    [['/nowhere/ssh'], 'ENOENT'],
    [['sh', '-c', 'echo Host key verification failed. >&2; exit 255'], 'Host key verification failed.'],
    [['sh', '-c', 'echo Welcome to this machine; exec sleep 600'], 'it does not speak SFTP'],
  ] as const)('a connection by %j fails in words', async (command, words) => {
    const opening = SftpPacks.open({ command, dir: '/', host: 'backup.example' })
    await expect(opening).rejects.toThrow(`The connection to backup.example failed: `)
    await expect(opening).rejects.toThrow(words)
  })
})

describe('the URL of an SFTP server', () => {
  const options = [
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    'ConnectTimeout=20',
    'ServerAliveInterval=15',
  ]
  const fixed = options.flatMap(option => ['-o', option])
  test.each([
    ['sftp://backup.example/srv/backups', [], 'backup.example', '/srv/backups'],
    ['sftp://ada@backup.example:2222/~/svc', ['-p', '2222', '-l', 'ada'], 'backup.example', 'svc'],
    ['sftp://ada@[::1]/a%20b', ['-l', 'ada'], '::1', '/a b'],
  ] as const)('%s becomes the arguments of ssh', (url, more, host, dir) => {
    const command = ['ssh', ...fixed, ...more, '-s', '--', host, 'sftp']
    expect(readSftpUrl(url)).toEqual({ command, dir, host })
  })

  test.each([
    ['sftp://ada:secret@backup.example/x', 'must not have a password'],
    ['sftp://-oProxyCommand=x@backup.example/x', 'names no valid user'],
    ['sftp://-oProxyCommand=x/x', 'names no valid host'],
    ['sftp://backup.example', 'needs a path'],
    ['sftp://backup.example/~', 'needs a path'],
    ['sftp://backup.example/a/%2e%2e%2fb', 'must not have ..'],
    ['sftp://backup.example/x?y', 'must not have ? or #'],
  ])('%s is refused', (url, words) => {
    expect(() => readSftpUrl(url)).toThrow(words)
  })
})
