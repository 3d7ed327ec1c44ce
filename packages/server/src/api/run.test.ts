// Commands that people run in an instance of their app.
import { request } from 'node:http'
import { limits } from '@svc/contract'
import { expect, it, onTestFinished } from 'vitest'
import { platformAdmin } from '../testing/admins.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { archiveOf } from '../testing/archives.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'
import { makeTeam } from '../testing/team.ts'

/** What a command wrote, and how it ended. */
interface Ran {
  stdout: string
  stderr: string
  exit_code: number
  reason: string | null
}

function read(text: string): Ran {
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  const written = (stream: 'stdout' | 'stderr') =>
    Buffer.concat(lines.map(line => Buffer.from(line[stream] ?? '', 'base64'))).toString()
  return { stdout: written('stdout'), stderr: written('stderr'), ...lines.at(-1) }
}

onEveryServer(server => {
  const ask = (app: { name: string; token: string }, ...command: string[]) =>
    send(server(), `POST /projects/${app.name}/run`, app, { command })

  async function run(app: TestApp, ...command: string[]): Promise<Ran> {
    const answer = await ask(app, ...command)
    expect([answer.status, answer.headers['content-type']]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
    ])
    return read(answer.text)
  }

  const runner = () =>
    server().running.platform.commands.here as unknown as { isRunning(id: string): boolean }

  it('a command has the files, the variables and the programs of the live app, and its exit code is told', async () => {
    const app = await TestApp.create(server())
    await app.put('COLOR', 'teal')
    const tool = { 'node_modules/.bin/hello': '#!/bin/sh\necho "hello $1" >&2\n' }
    await app.deploy({
      ...procfileApp('one'),
      ...tool,
      'report.cjs': 'console.log(process.env.COLOR, process.argv.slice(2)); process.exit(7)',
    })
    expect(await run(app, 'node', 'report.cjs', 'a b', '$HOME; exit 1')).toEqual({
      ...{ stdout: "teal [ 'a b', '$HOME; exit 1' ]\n", stderr: '', exit_code: 7, reason: null },
    })
    expect(await run(app, 'hello', 'you')).toMatchObject({ stderr: 'hello you\n', exit_code: 0 })
    expect(await run(app, 'hello one && echo "$COLOR" | tr a-z A-Z')).toMatchObject({
      stdout: 'TEAL\n',
      exit_code: 0,
    })
    expect(await run(app, 'no-such-program', 'x')).toMatchObject({ exit_code: 127 })
    expect(await run(app, 'kill -9 $$')).toMatchObject({ exit_code: 137, reason: 'It was ended by SIGKILL.' })
  })

  it('the audit log says who ran a command, and not which', async () => {
    const app = await TestApp.create(server())
    await app.deploy(procfileApp('one'))
    await run(app, 'echo', 'a-secret-argument')
    const { text } = await server().request(`/projects/${app.name}/audit`, { token: app.token })
    expect(text).toContain('"app.run"')
    expect(text).not.toContain('a-secret-argument')
  })

  it('members may run commands, strangers and deploy tokens may not', async () => {
    const team = await makeTeam(server())
    const name = `run-${team.org}`
    await server().client(team.owner.token)('POST /projects', { body: { name, org: team.org } })
    const made = await send(server(), `POST /orgs/${team.org}/tokens`, team.owner, { kind: 'deploy' })
    const asked = async (token: string) => refusal(await ask({ name, token }, 'true'))
    expect(await asked(team.member.token)).toBe('400 not_a_server')
    expect(await asked(team.outsider.token)).toBe('404 not_found')
    expect(await asked(made.json.token)).toBe('401 unauthorized')
  })

  it('refuses a project without a live app, one that is suspended, and commands that are none', async () => {
    const app = await TestApp.create(server())
    expect(refusal(await ask(app, 'true'))).toBe('400 not_a_server')
    await app.deploy(procfileApp('one'))
    for (const command of [[], [''], ['a\0b'], ['x'.repeat(limits.runCommandBytes + 1)]])
      expect(refusal(await ask(app, ...command))).toBe('400 invalid_request')
    const admin = await platformAdmin(server())
    await send(server(), `PUT /admin/projects/${app.name}/suspension`, admin, { reason: 'abuse' })
    expect(refusal(await ask(app, 'true'))).toBe('403 suspended')
  })

  it('ends a command when the client goes away, and lets two run at a time', async () => {
    const app = await TestApp.create(server())
    const id = await app.deploy(procfileApp('one'))
    const begun = () =>
      new Promise<() => void>((resolve, reject) => {
        const headers = { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' }
        const { port } = server().running
        const path = `/projects/${app.name}/run`
        const asking = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, answer => {
          answer.once('data', () => resolve(() => asking.destroy())).on('error', () => undefined)
        })
        asking.on('error', reject).end(JSON.stringify({ command: ['echo up; sleep 600'] }))
      })
    const leave = [await begun(), await begun()]
    expect(refusal(await ask(app, 'true'))).toBe('409 run_under_way')
    expect(runner().isRunning(id)).toBe(true)
    for (const each of leave) each()
    await eventually(() => !runner().isRunning(id))
    expect(await run(app, 'true')).toMatchObject({ exit_code: 0 })
  })

  it('ends a command that writes without end', async () => {
    const app = await TestApp.create(server())
    await app.deploy(procfileApp('one'))
    const { stdout, reason } = await run(app, 'yes')
    expect(reason).toBe('It wrote more than 10 MB.')
    expect(stdout.length).toBeLessThanOrEqual(limits.runOutputBytes)
  })

  it('ends a command of a project that is deleted', async () => {
    const app = await TestApp.create(server())
    const id = await app.deploy(procfileApp('one'))
    const ran = run(app, 'sleep 600')
    await eventually(() => runner().isRunning(id))
    await send(server(), `DELETE /projects/${app.name}`, app)
    expect(await ran).toMatchObject({ exit_code: 137, reason: 'The project was deleted.' })
  })

  it.each(['the token is revoked', 'the project is lost'])('ends a command when %s', async why => {
    const team = await makeTeam(server())
    const name = `lost-${team.org}`
    await server().client(team.owner.token)('POST /projects', { body: { name, org: team.org } })
    const id = (await server().upload(team.owner.token, name, archiveOf(procfileApp('one')))).json
      .deployment_id
    const made = await send(server(), 'POST /tokens', team.member, { kind: 'cli', label: 'other' })
    const ran = ask({ name, token: made.json.token }, 'echo up; sleep 600')
    await eventually(() => runner().isRunning(id))
    if (why === 'the token is revoked') await send(server(), `DELETE /tokens/${made.json.id}`, team.member)
    else await send(server(), `DELETE /orgs/${team.org}/members/${team.member.login}`, team.owner)
    await eventually(() => {
      server().clock.advance(11_000)
      return !runner().isRunning(id)
    })
    const { exit_code, reason } = read((await ran).text)
    expect({ exit_code, reason }).toEqual({
      exit_code: 137,
      reason: expect.stringMatching(/token|can no longer act/),
    })
  })

  it('has the disk while the app is asleep, and is refused while the app has it', async () => {
    const app = await TestApp.create(server())
    await send(server(), `PUT /projects/${app.name}/disk`, app, {})
    const id = await app.deploy(procfileApp('one'))
    await app.ask(id)
    const refused = await ask(app, 'true')
    expect(refusal(refused)).toBe('409 run_under_way')
    expect(refused.json.error.message).toContain('The app runs and has its disk')
    await app.sleep(id)
    await eventually(async () => (await ask(app, 'echo note > "$SVC_DISK/notes"')).status === 200)
    expect(await run(app, 'cat "$SVC_DISK/notes"')).toMatchObject({ stdout: 'note\n', exit_code: 0 })
    expect(await app.ask(id)).toBe('one')
  })

  it('has the disk while the app runs, if they share it', async () => {
    const app = await TestApp.create(server())
    await send(server(), `PUT /projects/${app.name}/disk`, app, { shared: true })
    const id = await app.deploy(procfileApp('one'))
    await app.ask(id)
    expect(await run(app, 'echo note > "$SVC_DISK/notes"; cat "$SVC_DISK/notes"')).toMatchObject({
      stdout: 'note\n',
      exit_code: 0,
    })
    expect(await app.states(id)).toEqual(['ready'])
  })
})

it('a platform that stops says so to the client of a command', async () => {
  const server = await TestServer.start('sqlite')
  onTestFinished(() => server.remove())
  const app = await TestApp.create(server)
  const id = await app.deploy(procfileApp('one'))
  const ran = send(server, `POST /projects/${app.name}/run`, app, { command: ['sleep 600'] })
  const commands = server.running.platform.commands.here as unknown as { isRunning(id: string): boolean }
  await eventually(() => commands.isRunning(id))
  await server.remove()
  const { exit_code, reason } = read((await ran).text)
  expect({ exit_code, reason }).toEqual({ exit_code: 137, reason: 'The platform is stopping.' })
})
