// The lines in an app's log about what the platform did with the app.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { eventually } from '../testing/eventually.ts'
import { send } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'
import { notes } from './notes.ts'

async function platformLines(app: TestApp): Promise<string[]> {
  const { json } = await send(app.server, `GET /projects/${app.name}/logs?tail=5000`, app)
  return json.logs.split('\n').filter((line: string) => line.startsWith('svc: '))
}

const says = (app: TestApp, words: string | RegExp) =>
  eventually(async () => (await platformLines(app)).some(line => line.match(words)))

const picky = procfileApp(
  'picky',
  `
if (process.env.COLOR === 'bad') { console.error('no such color'); process.exit(7) }
require('node:http').createServer((req, res) => {
  if (req.url === '/crash') process.exit(3)
  res.end()
}).listen(process.env.PORT, process.env.HOSTNAME)
`,
)

onEveryServer(server => {
  const deployed = async () => {
    const app = await TestApp.create(server())
    return { app, id: await app.deploy(picky) }
  }

  describe('the log of an app says that it', () => {
    it('started, and of which deployment', async () => {
      const { app, id } = await deployed()
      expect(await platformLines(app)).toEqual([expect.stringMatching(started(id))])
    })

    it('exited, with which code, and when it restarts', async () => {
      const { app, id } = await deployed()
      for (const crash of [1, 2]) {
        await app.ask(id, '/crash').catch(() => undefined)
        await eventually(async () => (await app.instances(id)).length === crash + 1)
        server().clock.advance(5_000)
        await eventually(async () => (await app.states(id)).at(-1) === 'ready')
      }
      const up = expect.stringMatching(started(id))
      const exited = 'svc: The app exited with code 3.'
      expect(await platformLines(app)).toEqual([
        ...[up, exited, 'svc: The app restarts now.'],
        ...[up, exited, 'svc: The app restarts in 1 s.', up],
      ])
    })

    it('was stopped because it got no requests', async () => {
      const { app, id } = await deployed()
      await app.sleep(id)
      expect((await platformLines(app)).at(-1)).toBe(
        'svc: The app was stopped after 5 minutes without a request.',
      )
    })

    it('was stopped, and nothing else: the shell that started it says nothing', async () => {
      const { app, id } = await deployed()
      await app.sleep(id)
      const { json } = await send(server(), `GET /projects/${app.name}/logs`, app)
      expect(json.logs).not.toContain('Terminated')
    })

    it('was replaced by another deployment', async () => {
      const { app, id } = await deployed()
      await app.deploy(picky)
      await app.sleep(id, 30_000)
      await says(app, /^svc: The app was stopped, because another deployment took its place\.$/)
    })

    it('restarted with changed variables', async () => {
      const { app, id } = await deployed()
      await app.put('COLOR', 'blue')
      await eventually(async () => (await app.states(id)).join() === 'stopped,ready')
      expect(await platformLines(app)).toEqual([
        expect.stringMatching(started(id)),
        'svc: The app restarts, because its variables changed or somebody restarted it.',
        expect.stringMatching(started(id)),
        'svc: The app was stopped, because a new instance took its place.',
      ])
    })

    it('did not start, and whether an earlier instance keeps running', async () => {
      const { app, id } = await deployed()
      await app.put('COLOR', 'bad')
      await eventually(async () => (await app.states(id)).join() === 'ready,failed')
      const why = 'svc: The app exited with code 7 before it accepted connections.'
      expect((await platformLines(app)).at(-1)).toBe(`${why} The instance from before keeps running.`)

      const never = await TestApp.create(server())
      await never.put('COLOR', 'bad')
      expect((await never.upload(picky)).status).toBe(422)
      expect(await platformLines(never)).toEqual([why])
    })
  })
})

const started = (id: string) => new RegExp(`^svc: The app started in \\d+\\.\\d s \\(${id}\\)\\.$`)

it('the log of an app says that it was stopped with the platform', async () => {
  const server = await TestServer.start()
  const app = await TestApp.create(server)
  await app.deploy(picky)
  const { id } = await app.detail()
  await server.running.stop()
  const dir = path.join(server.dataDir, 'app-logs', id)
  const files = await Promise.all((await readdir(dir)).map(name => readFile(path.join(dir, name), 'utf8')))
  expect(files.join('')).toMatch(/svc: The app was stopped, because the platform is stopping\.\n$/)
  await server.remove()
})

test('the log says how an app ended on its own', () => {
  const MB = 1024 * 1024
  const exit = { code: null, signal: null, outOfMemory: false }
  expect(notes.exited({ ...exit, outOfMemory: true }, 512 * MB)).toBe(
    'The app used more than 512 MB of memory and was ended.',
  )
  expect(notes.exited({ ...exit, signal: 'SIGSEGV' }, 512 * MB)).toBe('The app was ended by SIGSEGV.')
  expect(notes.exited({ ...exit, code: 0 }, 512 * MB)).toBe('The app exited with code 0.')
})

test.each([
  [0, 'The app restarts now.'],
  [1_000, 'The app restarts in 1 s.'],
  [32_000, 'The app restarts in 32 s.'],
  [60_000, 'The app restarts in 1 minute.'],
])('a restart after %i ms is announced: %s', (ms, words) => expect(notes.restartsIn(ms)).toBe(words))
