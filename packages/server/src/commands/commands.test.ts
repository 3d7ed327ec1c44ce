import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { onEveryServer } from '../testing/server.ts'

const binary = fileURLToPath(new URL('../../bin/svcd.js', import.meta.url))

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

function svcd(args: string[], env: Record<string, string> = {}, cwd?: string): Promise<Outcome> {
  return new Promise(resolve => {
    const options = { cwd, env: { PATH: process.env.PATH, ...env } }
    execFile(process.execPath, [binary, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

async function emptyDirectory(): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-empty-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  return dir
}

/** Starts the program, stops it at its first line, and answers that line and its log. */
async function firstLine(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [binary, ...args], { env: { PATH: process.env.PATH, ...env } })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', text => (log += text))
  const [line] = await once(createInterface(child.stdout), 'line')
  child.kill('SIGTERM')
  await once(child, 'close')
  return { line: String(line), log }
}

describe('svcd', () => {
  let dir: string
  const here = () => ({ SVCD_DATA_DIR: dir })
  beforeAll(async () => {
    dir = path.join(await mkdtemp(path.join(tmpdir(), 'svc-commands-')), 'data')
    await svcd(['migrate'], here())
  })
  afterAll(() => rm(path.dirname(dir), { recursive: true }))

  it('explains itself', async () => {
    const asked = await svcd(['--help'])
    const bare = await svcd([])
    expect([asked.code, bare.code]).toEqual([0, 1])
    expect(asked.stdout).toBe(bare.stdout)
    expect(asked.stdout).toContain('svcd <command>')
    expect((await svcd(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it.each([
    ['start'],
    ['start', '--role', 'worker'],
    ['install'],
    ['install', '--domain', 'example.com'],
    ['uninstall'],
    ['users'],
    ['users', 'create'],
    ['users', 'create', 'eve', '--password', 'long enough secret'],
    ['users', 'list'],
    ['users', 'passwd', 'eve'],
    ['keys'],
    ['keys', 'rotate'],
    ['migrate'],
    ['config'],
    ['backup', 'platform.tar'],
    ['restore', 'platform.tar'],
    ['doctor'],
  ])('shows help for %s %s, and does nothing else', async (...words) => {
    const empty = await emptyDirectory()
    for (const args of [
      [...words, '--help'],
      [...words, '-h'],
      ['help', ...words],
    ]) {
      const { code, stdout, stderr } = await svcd(args, {}, empty)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(new RegExp(`^Usage: svcd ${words[0]}`))
    }
    expect(await readdir(empty)).toEqual([])
  })

  it('creates no data directory in a command other than start, and says where it looked', async () => {
    const empty = await emptyDirectory()
    const place = path.join(empty, 'data')
    for (const args of [
      ['users', 'create', 'ada', '--token'],
      ['users', 'list'],
      ['users', 'passwd', 'ada'],
      ['keys', 'list'],
      ['keys', 'rotate'],
      ['migrate'],
      ['backup', 'platform.tar'],
      ['doctor'],
    ])
      expect(await svcd(args, {}, empty)).toEqual({
        code: 1,
        stdout: '',
        stderr: `svcd: There is no data of svcd in ${place} (SVCD_DATA_DIR is not set). Run this with the settings of 'svcd start', or create a new platform with 'svcd start'.\n`,
      })
    const named = await svcd(['users', 'create', 'ada'], { SVCD_DATA_DIR: place })
    expect([named.code, named.stderr]).toEqual([
      1,
      expect.stringContaining(`in ${place} (SVCD_DATA_DIR is '${place}')`),
    ])
    expect(await readdir(empty)).toEqual([])
  })

  it.each([
    [['dance'], "svcd: Unknown command 'dance'. See 'svcd --help'.\n"],
    [['start', '--role', 'api,cook'], /Unknown role 'cook'/],
    [['start', '--fast'], /--fast/],
    [['users'], /Usage/],
    [['users', 'create'], /Usage/],
    [['users', 'create', 'a/b'], /login must be/],
    [['users', 'create', 'eve', '--email', 'eve'], "svcd: 'eve' is not an email address.\n"],
    [['users', 'create', 'eve', '--email', ''], "svcd: '' is not an email address.\n"],
    [['doctor', '--fix'], /--fix/],
    [['migrate', 'now'], /'now'/],
    [['config', 'SVCD_PORT'], /'SVCD_PORT'/],
    [['users', 'passwd', 'nobody'], /no account 'nobody'/],
  ])('complains in one line about %j', async (args, words) => {
    const { code, stderr, stdout } = await svcd(args, here())
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(words)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('stops at a bad setting with one line that names it', async () => {
    const { code, stderr } = await svcd(['start'], { ...here(), SVCD_PORT: 'x' })
    expect([code, stderr]).toEqual([1, "svcd: SVCD_PORT must be a whole number from 0 to 65535, not 'x'\n"])
  })

  it.runIf(process.platform === 'linux')('stops where the data directory cannot be made', async () => {
    const { code, stderr } = await svcd(['start'], { SVCD_DATA_DIR: '/proc/nope/data' })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^svcd: .*\/proc\/nope.*\n$/)])
  })

  it('prints settings that SVCD_CONFIG reads back, without the secrets', async () => {
    const environment = { ...here(), SVCD_SELLER_NAME: `"Acme" # it's`, SVCD_AI_KEY: 'hunter2' }
    const { stdout } = await svcd(['config'], environment)
    expect(stdout).toContain('\nSVCD_PORT=8080\n')
    expect(stdout).toContain('\n# SVCD_AI_KEY=[secret]\n')
    expect(stdout).not.toContain('hunter2')
    const file = path.join(await emptyDirectory(), 'svcd.env')
    await writeFile(file, stdout)
    const again = await svcd(['config'], { SVCD_CONFIG: file, SVCD_AI_KEY: 'hunter2' })
    expect([again.stdout, again.stderr]).toEqual([stdout, ''])
  })

  it('stops at a name that is not a setting, and names the nearest one', async () => {
    const { code, stderr } = await svcd(['start'], { ...here(), SVCD_PROT: '80' })
    expect([code, stderr]).toEqual([1, 'svcd: SVCD_PROT is not a setting. Did you mean SVCD_PORT?\n'])
  })

  it('names what it serves when it is ready: a role that does not listen claims no address', async () => {
    const fresh = { SVCD_DATA_DIR: path.join(dir, 'roles'), SVCD_PORT: '0' }
    const worker = await firstLine(['start', '--role', 'worker'], fresh)
    expect(worker.line).toBe('svcd ready: worker (no listener)')
    expect(worker.log).not.toContain('listening')
    const edge = await firstLine(['start', '--role', 'edge,worker'], fresh)
    expect(edge.line).toMatch(/^svcd ready: sites http:\S+$/)
    const api = await firstLine(['start', '--role', 'api'], fresh)
    expect(api.line).toMatch(/^svcd ready: API http:\S+ · dashboard http:\S+$/)
    expect(api.log).toContain('listening')
  })

  it('migrates, once', async () => {
    const fresh = { SVCD_DATA_DIR: path.join(dir, 'fresh') }
    expect((await svcd(['migrate'], fresh)).stdout).toMatch(/^Applied 001_skeleton/)
    expect((await svcd(['migrate'], fresh)).stdout).toBe('The schema is up to date.\n')
  })

  it('makes accounts: the first one is admin, a token comes alone on stdout', async () => {
    const made = await svcd(['users', 'create', 'ada', '--email', 'ada@example.com', '--token'], here())
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^svc_[\w-]{43}\n$/) })
    await svcd(['users', 'create', 'bob', '--password', 'long enough secret'], here())
    const { stdout } = await svcd(['users', 'list'], here())
    const rows = stdout
      .trim()
      .split('\n')
      .map(row => row.split(/ {2,}/).slice(1))
    expect(rows).toEqual([
      ['ada', 'ada@example.com', 'admin'],
      ['bob', '-', 'user'],
    ])
    const again = await svcd(['users', 'create', 'ADA'], here())
    expect([again.code, again.stderr]).toEqual([1, "svcd: The login 'ada' is taken.\n"])
  })

  it('says which accounts have no password', async () => {
    const made = await svcd(['users', 'create', 'silent', '--token'], here())
    expect(made.stderr).toContain('It has no password.')
    expect(made.stderr).toContain('svcd users passwd silent')
    const { stderr } = await svcd(['users', 'list'], here())
    expect(stderr).toMatch(/^Without a password: .*silent/)
    await svcd(['users', 'passwd', 'silent'], here())
    expect((await svcd(['users', 'list'], here())).stderr).not.toContain('silent')
  })

  it('examines what it depends on', async () => {
    const apps = { SVCD_UNSANDBOXED_APPS: '1', SVCD_APP_OUTBOUND: 'off', SVCD_RUNNER: 'process' }
    const { code, stdout } = await svcd(['doctor'], { ...here(), ...apps })
    expect(code).toBe(0)
    for (const part of [
      'Node.js',
      'data directory',
      'database',
      'keys',
      'storage',
      'port',
      'DNS',
      'HTTPS',
      'mail',
      'certificate authority',
      'pictures',
      'countries',
      'git',
      'plans',
      'payments',
    ])
      expect(stdout).toContain(`ok    ${part}: `)
    expect(stdout).toMatch(new RegExp(`server apps: process: .*; Node .*${process.versions.node}`))
  })
})

describe('svcd on a database that it cannot read', () => {
  const commands = [['users', 'list'], ['keys', 'list'], ['migrate'], ['start'], ['doctor']]

  async function database(change: (file: string) => void) {
    const dir = path.join(await emptyDirectory(), 'data')
    await svcd(['migrate'], { SVCD_DATA_DIR: dir })
    change(path.join(dir, 'svc.db'))
    return { SVCD_DATA_DIR: dir, SVCD_PORT: '0' }
  }

  it('names both versions and what to do if a newer svcd has changed it', async () => {
    const environment = await database(file => {
      const db = new DatabaseSync(file)
      db.exec(`insert into kysely_migration values ('999_later', '2030-01-01');
        insert into platform (only_row, id, version) values (1, 'x', '9.8.7')`)
      db.close()
    })
    for (const args of commands) {
      const { code, stdout, stderr } = await svcd(args, environment)
      expect(code).toBe(1)
      expect(`${stdout}${stderr}`).toMatch(
        /last used by svcd 9\.8\.7 \(schema 999_later\), and this is svcd \d+\.\d+\.\d+ \(schema \d{3}_\w+\), which cannot read it\. Install svcd 9\.8\.7 or a later one/,
      )
      expect(stderr.split('\n').length).toBeLessThanOrEqual(2)
    }
  })

  it('prints neither a stack nor its own source if the file is damaged', async () => {
    const environment = await database(file => writeFileSync(file, 'no database '.repeat(1000)))
    for (const args of commands) {
      const { code, stdout, stderr } = await svcd(args, environment)
      expect([args[0], code]).toEqual([args[0], 1])
      expect(`${stdout}${stderr}`).not.toMatch(/\n {4}at |import\{|node:internal/)
      expect(stderr.length).toBeLessThan(1000)
    }
  })
})

it('svcd ends well if the reader of its output ends first', async () => {
  const environment = { SVCD_DATA_DIR: path.join(await emptyDirectory(), 'data'), SVCD_UNSANDBOXED_APPS: '1' }
  const env = { PATH: process.env.PATH, ...environment, SVCD_APP_OUTBOUND: 'off', SVCD_RUNNER: 'process' }
  const child = spawn(process.execPath, [binary, 'doctor'], { env })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => (stderr += text))
  child.stdout.destroy()
  const [code] = await once(child, 'close')
  expect([code, stderr]).toEqual([0, ''])
})

it('svcd says at its start that its certificate has expired', async () => {
  const dir = await emptyDirectory()
  const file = (name: string) => path.join(dir, name)
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args)
  const authority = `[ca]\ndefault_ca=c\n[c]\ndatabase=${file('index')}\nserial=${file('serial')}\nunique_subject=no\nnew_certs_dir=${dir}\npolicy=p\n[p]\ncommonName=supplied\n`
  await writeFile(file('index'), '')
  await writeFile(file('ca.cnf'), authority)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file('key.pem')]
  await openssl('req', '-new', ...key, '-subj', '/CN=x', '-out', file('request.pem'))
  const environment = {
    SVCD_DATA_DIR: file('data'),
    SVCD_TLS_CERT: file('cert.pem'),
    SVCD_TLS_KEY: file('key.pem'),
    SVCD_TLS_PORT: '0',
    SVCD_PORT: '0',
  }
  const logUntil = async (end: number) => {
    const times = [0, end].map(time => `${new Date(time).toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`)
    const life = [
      '-startdate',
      times[0]!,
      '-enddate',
      times[1]!,
      '-md',
      'sha256',
      '-create_serial',
      '-notext',
    ]
    const made = ['-in', file('request.pem'), '-out', file('cert.pem'), '-keyfile', file('key.pem')]
    await openssl('ca', '-batch', '-selfsign', '-config', file('ca.cnf'), ...made, ...life)
    return (await firstLine(['start'], environment)).log
  }
  const day = 86_400_000
  expect(await logUntil(Date.now() + 30 * day)).not.toContain('SVCD_TLS_CERT')
  expect(await logUntil(Date.now() + 3 * day)).toContain('the certificate of SVCD_TLS_CERT expires soon')
  expect(await logUntil(Date.now() - day)).toMatch(
    /cert\.pem.*the certificate of SVCD_TLS_CERT has expired: replace it/,
  )
})

onEveryServer(server => {
  it('makes accounts and tokens that a running server knows at once', async () => {
    const { stdout } = await svcd(['users', 'create', 'late', '--token'], server().environment)
    const { json } = await server().request('/me', { token: stdout.trim() })
    expect(json.gitforge_login).toBe('late')
  })

  it('makes up a password on request, and it works', async () => {
    await svcd(['users', 'create', 'forgetful'], server().environment)
    const { stdout } = await svcd(['users', 'passwd', 'forgetful'], server().environment)
    const body = { login: 'forgetful', password: stdout.trim() }
    const { status } = await server().request('/auth/signin', { method: 'POST', body })
    expect(status).toBe(200)
  })
})
