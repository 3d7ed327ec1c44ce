import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readLogs, sweepLogs } from '../core/logs/logs.ts'
import { findProject } from '../store/projects/projects.ts'
import type { AppInstanceRow } from '../store/tables.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { eventually } from '../testing/eventually.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

/** An app that writes the path of each request to its log. */
const talkative = `
console.log('up'); console.error('warning')
process.on('SIGTERM', () => process.stdout.write('bye', () => process.exit(0)))
require('node:http').createServer((req, res) => {
  const line = decodeURIComponent(req.url.slice(1))
  if (line) console.log(line)
  res.end()
}).listen(process.env.PORT, process.env.HOSTNAME)
`

onEveryServer(server => {
  const start = async () => {
    const app = await TestApp.create(server())
    return { app, id: await app.deploy(procfileApp('talk', talkative)) }
  }
  const logs = (app: TestApp, query = '') => send(server(), `GET /projects/${app.name}/logs${query}`, app)
  const linesOf = async (app: TestApp, query = ''): Promise<string[]> =>
    (await logs(app, query)).json.logs.split('\n').slice(0, -1)

  /** What a process writes reaches the log a moment later. */
  const written = (app: TestApp, line: string) => eventually(async () => (await linesOf(app)).includes(line))

  test('a running app shows what it wrote to stdout and stderr', async () => {
    const { app } = await start()
    await written(app, 'warning')
    await written(app, 'up')
    const { status, json } = await logs(app)
    expect(status).toBe(200)
    expect(json).toEqual({ state: 'running', logs: expect.stringContaining('up\n'), stopped_at: null })
  })

  test('lines carry their times, and can be asked for by number and time', async () => {
    const { app, id } = await start()
    for (const line of ['one', 'two', 'three']) {
      await app.ask(id, `/${line}`)
      await written(app, line)
    }
    expect(await linesOf(app, '?tail=2')).toEqual(['two', 'three'])
    expect(await linesOf(app, '?tail=2&timestamps=0')).toEqual(['two', 'three'])
    const stamped = await linesOf(app, '?tail=3&timestamps=1')
    const stamps = stamped.map(line => line.split(' ')[0] ?? '')
    for (const stamp of stamps) expect(stamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
    expect(stamps).toEqual([...new Set(stamps)].sort())
    const seconds = (i: number) =>
      `${Date.parse(`${stamps[i]?.slice(0, 19)}Z`) / 1000}.${stamps[i]?.slice(20, 29)}`
    expect(await linesOf(app, `?since=${seconds(0)}`)).toEqual(['two', 'three'])
    expect(await linesOf(app, `?since=${seconds(2)}`)).toEqual([])
    expect(await linesOf(app, `?since=${seconds(0)}&until=${seconds(2)}`)).toEqual(['two'])
  })

  test('lines come with their stream, level, deployment and instance, and are found by each', async () => {
    const { app, id } = await start()
    await app.ask(id, '/WARN%20slow')
    await app.ask(id, '/Hello%20there')
    await written(app, 'Hello there')
    const read = async (query: string) => (await logs(app, `?details=1&${query}`)).json
    const texts = async (query: string) =>
      (await read(query)).lines.map(({ text }: { text: string }) => text.replace(/^svc: .*/, 'svc'))
    const { lines, ...rest } = await read('')
    const found = (text: string) => lines.find((line: { text: string }) => line.text === text)
    expect(rest).toMatchObject({ state: 'running', logs: '', stopped_at: null })
    expect(found('up')).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/),
      stream: 'stdout',
      level: 'info',
      deployment_id: id,
      instance_id: expect.stringMatching(/^\w+$/),
      text: 'up',
    })
    expect(found('warning')).toMatchObject({ stream: 'stderr', level: 'error' })
    const { instance_id: instance } = found('up')
    const everything = await texts('')
    expect(await texts(`deployment=${id}&instance=${instance}`)).toEqual(everything)
    expect(await texts('deployment=dep_other')).toEqual([])
    expect(await texts('instance=app_other')).toEqual([])
    expect(await texts('stream=stderr')).toEqual(['warning'])
    expect((await texts('stream=platform')).every((text: string) => text === 'svc')).toBe(true)
    expect((await texts('level=warn')).sort()).toEqual(['WARN slow', 'warning'])
    expect(await texts('search=hello+THERE')).toEqual(['Hello there'])
    expect(await texts('search=hello&tail=1&level=error')).toEqual([])
    // The filters work for plain lines, too.
    expect(await linesOf(app, '?search=hello')).toEqual(['Hello there'])
    for (const query of ['level=loud', 'stream=stdin', 'details=yes', `search=${'x'.repeat(201)}`])
      expect(refusal(await logs(app, `?${query}`))).toBe('400 invalid_request')
  })

  test('with details, a client continues where an answer ends, and reads old lines of a stopped app', async () => {
    const { app, id } = await start()
    await written(app, 'up')
    const read = async (query: string) => (await logs(app, `?details=1&${query}`)).json
    const { next_since } = await read('search=up')
    await app.ask(id, '/more')
    await written(app, 'more')
    const texts = (answer: { lines: { text: string }[] }) => answer.lines.map(({ text }) => text)
    expect(texts(await read(`since=${next_since}&stream=stdout`))).toEqual(['more'])
    // Where nothing was found, the next request does not begin at the beginning.
    expect(Number((await read('search=nowhere')).next_since)).toBeGreaterThan(1_700_000_000)
    await app.sleep(id)
    const stopped = await read('since=1&stream=stdout')
    expect([stopped.state, texts(stopped)]).toEqual(['stopped', ['up', 'more', 'bye']])
  })

  test('a stopped app shows the tail that was captured, to its last word, and when it stopped', async () => {
    const { app, id } = await start()
    await app.ask(id, '/hello')
    await app.sleep(id)
    const { json } = await logs(app)
    expect(json.state).toBe('stopped')
    expect(json.logs).toMatch(/hello\nbye\nsvc: The app was stopped after 5 minutes without a request\.\n$/)
    expect(Date.parse(json.stopped_at)).toBeGreaterThan(Date.now())
    expect((await logs(app, '?since=1')).json).toEqual({ ...json, logs: '' })
  })

  test('a client that follows the log through stops and cold starts gets every line once', async () => {
    const { app, id } = await start()
    const seen: string[] = []
    let last = '0'
    const look = async () => {
      const { json } = await logs(app, `?timestamps=1&tail=5000&since=${last}`)
      // As svc logs does: of a stopped app the tail is asked for without a time.
      const text: string =
        json.state === 'stopped' ? (await logs(app, '?timestamps=1&tail=5000')).json.logs : json.logs
      for (const line of text.split('\n').slice(0, -1)) {
        const [stamp = '', ...words] = line.split(' ')
        const seconds = `${Date.parse(`${stamp.slice(0, 19)}Z`) / 1000}.${stamp.slice(20, 29)}`
        if (seconds <= last) continue
        last = seconds
        seen.push(words.join(' '))
      }
    }
    for (const round of [1, 2, 3]) {
      await app.ask(id, `/round-${round}`)
      if (round !== 2) await look()
      await app.sleep(id)
      await look()
    }
    const stopped = 'svc: The app was stopped after 5 minutes without a request.'
    const isOfStart = (line: string) => ['warning', 'up'].includes(line) || line.includes('app started in')
    expect(seen.filter(line => !isOfStart(line))).toEqual(
      [1, 2, 3].flatMap(round => [`round-${round}`, 'bye', stopped]),
    )
    expect(seen.filter(isOfStart)).toHaveLength(9)
  })

  test('the previews of a branch have a log of their own, found by the branch or by a deployment of it', async () => {
    const { app } = await start()
    const first = await app.deploy(procfileApp('first', talkative), '?branch=next')
    await app.ask(first, '/from-first')
    const second = await app.deploy(procfileApp('second', talkative), '?branch=next')
    await app.ask(second, '/from-second')
    await eventually(async () => (await linesOf(app, '?branch=next')).includes('from-second'))
    const lines = await linesOf(app, '?branch=next')
    expect(lines).toContain('from-first')
    expect((await logs(app, '?branch=next')).json.state).toBe('running')
    const ofFirst = await linesOf(app, `?deployment=${first}`)
    expect([ofFirst.includes('from-first'), ofFirst.includes('from-second')]).toEqual([true, false])
    expect(await linesOf(app, `?branch=next&deployment=${first}`)).toEqual(ofFirst)
    // A line of production that comes later than all of them is in none of these logs.
    await written(app, 'up')
    expect((await linesOf(app)).filter(line => line.startsWith('from-'))).toEqual([])
    expect(refusal(await logs(app, '?branch=nobody'))).toBe('404 not_found')
  })

  test('a preview that did not start says why in the log of its branch, not in that of production', async () => {
    const { app } = await start()
    const broken = procfileApp('broken', 'console.log("too bad"); process.exit(3)')
    const failed = await app.upload(broken, '?branch=bad')
    expect(failed.status).not.toBe(201)
    await eventually(async () => (await linesOf(app, '?branch=bad')).includes('too bad'))
    expect((await logs(app, '?branch=bad')).json.state).toBe('stopped')
    expect((await logs(app)).json).toMatchObject({ state: 'running', stopped_at: null })
    expect(await linesOf(app)).not.toContain('too bad')
  })

  test('lines survive a new deployment, and those of branches are not among them', async () => {
    const { app, id } = await start()
    await app.ask(id, '/first')
    const branch = await app.deploy(procfileApp('branch', talkative), '?branch=next')
    await app.ask(branch, '/preview')
    const second = await app.deploy(procfileApp('talk', talkative))
    await app.ask(second, '/second')
    await written(app, 'second')
    const lines = await linesOf(app)
    expect(lines).toContain('first')
    expect(lines).not.toContain('preview')
  })

  test('an app that never came up has a log, too', async () => {
    const app = await TestApp.create(server())
    await app.upload(procfileApp('bad', 'console.error("no database"); process.exit(1)'))
    expect((await logs(app)).json).toMatchObject({
      state: 'stopped',
      logs: 'no database\nsvc: The app exited with code 1 before it accepted connections.\n',
    })
  })

  test('a static site has none', async () => {
    const owner = await server().account()
    const name = await deploySite(server(), owner.token, { 'index.html': 'hi' })
    expect(refusal(await send(server(), `GET /projects/${name}/logs`, owner))).toBe('400 not_a_server')
    const empty = await TestApp.create(server())
    expect(refusal(await logs(empty))).toBe('400 not_a_server')
  })

  test('an app whose runner does not answer is said to be unreachable', async () => {
    const { app, id } = await start()
    const { db } = server().running.platform.store
    await app.sleep(id)
    const row = { ...(await app.instances(id))[0]!, id: 'ins_wanted', node_id: null }
    // The longest pause before an app is started again.
    const later = server().clock.now() + 60_000
    const stateOf = async (instance: Partial<AppInstanceRow>, now = server().clock.now()) => {
      // The runner of this server waits, as if there was none.
      await db
        .insertInto('app_instances')
        .values({ ...row, ...instance, not_before: later })
        .execute()
      const project = await findProject(db, app.name)
      const clock = { ...server().clock, now: () => now }
      const answer = await readLogs({ ...server().running.platform, clock }, project!, { tail: 10 })
      await db.deleteFrom('app_instances').where('id', '=', row.id).execute()
      return answer
    }
    expect(await stateOf({ state: 'wanted' }, later + 11_000)).toMatchObject({
      state: 'unreachable',
      logs: '',
    })
    expect(await stateOf({ state: 'ready', node_id: 'another-node' })).toMatchObject({
      state: 'unreachable',
    })
    // One that crashed waits for its turn, and why it crashed is in its log.
    expect(await stateOf({ state: 'wanted' }, later + 1)).toMatchObject({
      state: 'running',
      logs: expect.stringContaining('up\n'),
    })
  })

  test.each(['tail=0', 'tail=5001', 'tail=x', 'since=yesterday', 'until=-1', 'timestamps=2'])(
    '%s is refused',
    async query => {
      const app = await TestApp.create(server())
      expect(refusal(await logs(app, `?${query}`))).toBe('400 invalid_request')
    },
  )

  test('logs go with their project, and what is left of one is swept', async () => {
    const { app } = await start()
    await written(app, 'up')
    const { platform } = server().running
    const { id } = await app.detail()
    const dir = path.join(server().dataDir, 'app-logs')
    expect(existsSync(path.join(dir, id))).toBe(true)
    await send(server(), `DELETE /projects/${app.name}`, app)
    expect(existsSync(path.join(dir, id))).toBe(false)

    const sink = platform.logs.open({ projectId: 'prj_gone', deploymentId: 'dep_x', instanceId: 'ins_x' })
    sink.write('stdout', Buffer.from('left\n'))
    await sink.close()
    await sweepLogs(platform, 14)
    expect(existsSync(path.join(dir, 'prj_gone'))).toBe(false)
  })
})

test('a log that another node keeps is asked for there', async () => {
  const key = { SVCD_SECRET_KEY: randomBytes(32).toString('base64') }
  const here = await TestServer.start('postgres', key)
  onTestFinished(() => here.remove())
  const { SVCD_DATABASE_URL: url = '' } = here.environment
  const there = await TestServer.start('sqlite', { ...key, SVCD_DATABASE_URL: url })
  onTestFinished(() => there.remove())
  const app = await TestApp.create(here)
  const id = await app.deploy(procfileApp('talk', talkative))
  await app.ask(id, '/one%00two')
  const elsewhere = (query = '') => send(there, `GET /projects/${app.name}/logs${query}`, app)
  await eventually(async () => (await elsewhere()).json.logs.includes('one\0two\n'))
  const answers = await Promise.all([
    elsewhere('?timestamps=1'),
    send(here, `GET /projects/${app.name}/logs?timestamps=1`, app),
  ])
  expect(answers[0]?.json).toEqual(answers[1]?.json)
  expect(answers[0]?.json.state).toBe('running')
  expect((await elsewhere('?since=4000000000')).json.logs).toBe('')

  // An instance of it runs there, too: its lines are among the others, in the order of time.
  const { db } = here.running.platform.store
  const [row] = await app.instances(id)
  const { nodeId, logs } = there.running.platform
  const other = { ...row!, id: 'ins_there', node_id: nodeId, state: 'draining' as const }
  await db.insertInto('app_instances').values(other).execute()
  const sink = logs.open({ projectId: other.project_id, deploymentId: id, instanceId: other.id })
  sink.write('stdout', Buffer.from('from there\n'))
  await sink.close()
  await app.ask(id, '/after')
  for (const server of [here, there])
    await eventually(async () => {
      const { json } = await send(server, `GET /projects/${app.name}/logs?tail=2`, app)
      return json.logs === 'from there\nafter\n'
    })
  const left = await db.selectFrom('log_requests').selectAll().execute()
  expect(left).toEqual([])
})
