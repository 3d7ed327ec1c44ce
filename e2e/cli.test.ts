// The real tool against a real platform, as a user meets both.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@svc/contract/client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Shell } from './shell.ts'
import { Machine, type Svcd } from './svcd.ts'
import { visit } from './visit.ts'

let machine: Machine
let svcd: Svcd
beforeAll(async () => {
  machine = await Machine.make({ SVCD_DEVICE_INTERVAL: '1' })
  svcd = await machine.start()
})
afterAll(async () => {
  await svcd?.stop()
  await machine?.remove()
})

const apiUrl = () => `http://127.0.0.1:${svcd.port}`
const client = (token: string) => createClient({ baseUrl: apiUrl(), token })

let people = 0
async function newPerson(): Promise<{ login: string; token: string }> {
  const login = `person-${++people}`
  return { login, token: await machine.token(login) }
}

/** A terminal of someone who is logged in, or of nobody yet. */
function openShell(person?: { token: string }): Shell {
  const shell = new Shell({ SVC_API_URL: apiUrl(), ...(person && { SVC_TOKEN: person.token }) })
  onTestFinished(() => shell.remove())
  return shell
}

const freshName = () => `site-${randomBytes(6).toString('hex')}`
const [idPattern, urlPattern] = [/dep_[a-z0-9]{16}/, /http:\/\/\S+/]

/** Deploys and answers what the tool printed. */
async function deploy(shell: Shell, ...args: string[]): Promise<{ id: string; url: string }> {
  const { code, stdout, stderr } = await shell.svc('deploy', ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return { id: idPattern.exec(stdout)![0], url: urlPattern.exec(stdout)![0] }
}

it('svc is handed out by the platform, as an npm package that needs nothing else', async () => {
  const shell = openShell()
  const install = ['install', '--global', '--prefix', shell.home, '--no-audit', `${apiUrl()}/svc.tgz`]
  await promisify(execFile)('npm', install, { env: { PATH: process.env.PATH, HOME: shell.home } })
  const { stdout } = await promisify(execFile)(path.join(shell.home, 'bin/svc'), ['--version'])
  expect(stdout).toBe((await shell.svc('--version')).stdout)
  expect(await readdir(path.join(shell.home, 'lib/node_modules/@svc/cli'))).not.toContain('node_modules')
})

describe('logging in', () => {
  /** Starts a login and waits for the code that it shows. */
  async function login(shell: Shell) {
    const { child, ended } = shell.start('login')
    const user_code = await new Promise<string>((resolve, reject) => {
      let shown = ''
      child.stdout!.on('data', text => {
        shown += text
        const code = /[A-Z0-9]{4}-[A-Z0-9]{4}/.exec(shown)
        if (code) resolve(code[0])
      })
      child.on('close', () => reject(new Error(`svc login showed no code: ${shown}`)))
    })
    return { user_code, ended }
  }

  it('waits for the approval, and then knows who it is', async () => {
    const person = await newPerson()
    const terminal = openShell()
    const { user_code, ended } = await login(terminal)
    const call = client(person.token)
    const asked = await call('GET /auth/device/:user_code', { params: { user_code } })
    expect(asked.user_agent).toMatch(/^svc\/\d/)
    await call('POST /auth/device/approve', { body: { user_code } })
    expect((await ended).code).toBe(0)

    const { stdout } = await terminal.svc('whoami')
    expect(stdout).toMatch(new RegExp(`^${person.login} \\(acc_[a-z0-9]{16}\\)\n$`))
    expect(await terminal.svc('logout')).toMatchObject({ code: 0, stdout: 'Logged out.\n' })
    expect(await terminal.svc('whoami')).toMatchObject({
      code: 1,
      stderr: "svc: Not logged in. Run 'svc login' first.\n",
    })
  })

  it('ends when it is denied', async () => {
    const person = await newPerson()
    const { user_code, ended } = await login(openShell())
    await client(person.token)('POST /auth/device/deny', { body: { user_code } })
    const { code, stderr } = await ended
    expect(code).toBe(1)
    expect(stderr).toContain('svc: Authorization was denied.\n')
  })
})

describe('deploying', () => {
  it('puts a site live, replaces it, and goes back', async () => {
    const terminal = openShell(await newPerson())
    const name = freshName()
    terminal.write({ 'dist/index.html': 'one' })
    expect(await terminal.svc('init', name)).toMatchObject({ code: 0 })

    const one = await deploy(terminal, 'dist')
    expect((await visit(one.url)).body.toString()).toBe('one')

    terminal.write({ 'dist/index.html': 'two' })
    const two = await deploy(terminal, 'dist')
    expect(two.url).toBe(one.url)
    expect((await visit(two.url)).body.toString()).toBe('two')

    expect(await terminal.svc('rollback', one.id)).toMatchObject({
      code: 0,
      stdout: `${one.id} is live.\n${one.url}\n`,
    })
    expect((await visit(one.url)).body.toString()).toBe('one')

    const { stdout } = await terminal.svc('deployments')
    const minute = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d'
    expect(stdout).toMatch(
      new RegExp(
        `^  ${two.id}  superseded  ${minute}  1 file  3 B  .*http\\S+--${name}\\.\\S+\n\\* ${one.id}  live        ${minute}  1 file  3 B  .*http\\S+--${name}\\.\\S+\n$`,
      ),
    )
  })

  it('keeps every byte and every name', async () => {
    const terminal = openShell(await newPerson())
    const long = `${'deep/'.repeat(40)}${'n'.repeat(200)}.txt`
    const files: Record<string, Buffer> = {
      'index.html': Buffer.from('<p>Grüße'),
      'größe/日本.html': randomBytes(1000),
      'video.mp4': randomBytes(3_000_000),
      'empty.txt': Buffer.alloc(0),
      [long]: randomBytes(513),
    }
    for (let i = 0; i < 500; i++) files[`pages/${i}.html`] = randomBytes(i)
    terminal.write(files)
    await terminal.svc('init', freshName())

    const { url } = await deploy(terminal)
    for (const [name, bytes] of Object.entries(files)) {
      const page = await visit(url, encodeURI(`/${name}`))
      expect(page.status, name).toBe(200)
      expect(page.body.equals(bytes), name).toBe(true)
    }
    expect((await visit(url, '/svc.json')).status).toBe(404)
  })

  it('passes on what the platform refuses, and leaves the live site alone', async () => {
    const terminal = openShell(await newPerson())
    terminal.write({ 'index.html': 'fine' })
    await terminal.svc('init', freshName())
    const { url } = await deploy(terminal)

    terminal.write({ Procfile: 'web: echo no database; exit 3' })
    const refused = await terminal.svc('deploy')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^svc: .*no database.* \(deployment_failed\)\n$/s)
    expect((await visit(url)).body.toString()).toBe('fine')
    const { stdout } = await terminal.svc('deployments')
    expect(stdout).toMatch(/^ {2}dep_\w{16} {2}failed .*\n\* dep_\w{16} {2}live /)
  })

  it('hears why a big upload was refused before it ended', async () => {
    const terminal = openShell(await newPerson())
    terminal.write({ 'video.mp4': randomBytes(20_000_000) })
    expect(await terminal.svc('deploy', '--project', 'no-such-project')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^svc: .* \(not_found\)\n$/),
    })
  })

  it('deletes what is not live, and nothing else', async () => {
    const terminal = openShell(await newPerson())
    terminal.write({ 'index.html': 'one' })
    await terminal.svc('init', freshName())
    const one = await deploy(terminal)
    const two = await deploy(terminal)
    expect(await terminal.svc('deployments', 'rm', one.id)).toMatchObject({
      code: 0,
      stdout: `Deleted ${one.id}.\n`,
    })
    expect((await terminal.svc('rollback', one.id)).stderr).toMatch(/\(not_found\)\n$/)
    expect((await terminal.svc('deployments', 'rm', two.id)).stderr).toMatch(/\(deployment_live\)\n$/)
  })
})

describe('projects and tokens', () => {
  it('lists the projects, newest first', async () => {
    const person = await newPerson()
    const names = Array.from({ length: 12 }, freshName)
    for (const name of names) await client(person.token)('POST /projects', { body: { name } })
    const terminal = openShell(person)
    const { stdout } = await terminal.svc('projects', '--json')
    const listed: { name: string }[] = JSON.parse(stdout).projects
    expect(listed.map(project => project.name)).toEqual(names.toReversed())
    expect((await terminal.svc('projects')).stdout.trimEnd().split('\n')).toHaveLength(names.length)
  })

  it("links one's own project of a name, and not someone else's", async () => {
    const [ada, bob] = [await newPerson(), await newPerson()]
    const name = freshName()
    expect(await openShell(ada).svc('init', name)).toMatchObject({ code: 0 })
    expect((await openShell(ada).svc('init', name)).stdout).toContain(`Found ${name}`)
    expect(await openShell(bob).svc('init', name)).toMatchObject({
      code: 1,
      stderr: `svc: The name '${name}' is already taken. Choose another: svc init <name>\n`,
    })
  })

  it('makes tokens that work where they should', async () => {
    const person = await newPerson()
    const { stdout: cli } = await openShell(person).svc('token', 'cli', 'for', 'CI')
    const { stdout: ai } = await openShell(person).svc('token', 'ai')
    expect(await openShell({ ...person, token: cli.trim() }).svc('whoami')).toMatchObject({ code: 0 })
    expect((await openShell({ ...person, token: ai.trim() }).svc('whoami')).stderr).toMatch(
      /\(unauthorized\)\n/,
    )
    const { tokens } = await client(person.token)('GET /tokens', { query: {} })
    expect(tokens.map(({ kind, label }) => ({ kind, label }))).toEqual(
      expect.arrayContaining([
        { kind: 'cli', label: 'for CI' },
        { kind: 'ai', label: 'CLI-created AI key' },
      ]),
    )
  })

  it('finds the dashboard', async () => {
    const person = await newPerson()
    const { stdout } = await openShell(person).svc('dashboard', '--print-url')
    expect(stdout).toBe(`http://app.localhost:${svcd.port}/#token=${person.token}\n`)
    expect((await visit(stdout.trim())).status).toBe(200)
  })
})
