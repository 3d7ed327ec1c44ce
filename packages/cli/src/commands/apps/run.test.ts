import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { refusal, standIn } from '../../testing/api.ts'
import { binary, svc, temporaryDirectory, token } from '../../testing/svc.ts'

const linked = () => temporaryDirectory({ 'svc.json': '{"project":"shop"}' })
const base64 = (text: string) => Buffer.from(text).toString('base64')
const lines = (...all: object[]) => all.map(line => `${JSON.stringify(line)}\n`).join('')

/** A platform that remembers the lines of its client, and answers the first with `answer`. */
async function platform(answer: (bytes: Duplex) => void) {
  const heard: Record<string, unknown>[] = []
  const server = createServer()
  const webSockets = new WebSocketServer({ server, path: '/projects/shop/run' })
  webSockets.on('connection', (webSocket, { headers }) => {
    expect(headers.authorization).toBe(`Bearer ${token}`)
    const bytes = createWebSocketStream(webSocket)
    bytes.on('error', () => undefined)
    createInterface({ input: bytes }).on('line', line => {
      heard.push(JSON.parse(line))
      if (heard.length === 1) answer(bytes)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const client of webSockets.clients) client.terminate()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { heard, env: { SVC_API_URL: url, SVC_TOKEN: token } }
}

async function run(answer: string, ...args: string[]) {
  const { env, heard } = await platform(bytes => bytes.end(answer))
  return { heard, ...(await svc(['run', ...args], { cwd: linked(), env })) }
}

it('svc run passes on output, errors and the exit code', async () => {
  const answer = lines(
    { stdout: base64('one ') },
    {},
    { stderr: base64('oh\n') },
    { stdout: base64('two\n') },
    { exit_code: 7, reason: null },
  )
  const { code, stdout, stderr } = await run(answer, '--', 'node', 'report.js', '--month', '5')
  expect({ code, stdout, stderr }).toEqual({ code: 7, stdout: 'one two\n', stderr: 'oh\n' })
})

it('svc run sends the words as they were typed, and asks for no terminal in a script', async () => {
  const { code, heard } = await run(lines({ exit_code: 0 }), '--', 'echo', 'a b', '--x')
  expect({ code, first: heard[0] }).toEqual({ code: 0, first: { command: ['echo', 'a b', '--x'] } })
})

it('svc run gives the command what is piped in, and its end', async () => {
  let heard: Record<string, unknown>[] = []
  const stand = await platform(async bytes => {
    await expect.poll(() => heard.at(-1), { timeout: 20_000 }).toEqual({ end: true })
    bytes.end(lines({ exit_code: 0 }))
  })
  heard = stand.heard
  const sent = `${'x'.repeat(200_000)}\n`
  expect(await svc(['run', 'cat'], { cwd: linked(), env: stand.env, stdin: sent })).toMatchObject({ code: 0 })
  const read = heard.map(({ stdin }) => Buffer.from(String(stdin ?? ''), 'base64').toString()).join('')
  expect(read).toBe(sent)
})

it('svc run opens a shell on a terminal, to which every key goes, and leaves the terminal as it was', async () => {
  let heard: Record<string, unknown>[] = []
  const stand = await platform(async bytes => {
    bytes.write(lines({ stdout: base64('ready$ ') }))
    const typed = () =>
      heard.map(({ stdin }) => Buffer.from(String(stdin ?? ''), 'base64').toString()).join('')
    await expect.poll(typed, { timeout: 20_000 }).toBe('\x03')
    bytes.end(lines({ exit_code: 3, reason: null }))
  })
  heard = stand.heard
  const cwd = linked()
  const line = `stty rows 30 columns 100; '${process.execPath}' '${binary}' run; echo "$?"; stty -a`
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, TERM: 'xterm-256color', ...stand.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  child.stdout.on('data', chunk => {
    if (!shown.includes('ready$') && (shown + chunk).includes('ready$')) child.stdin.write('\x03')
    shown += chunk
  })
  await new Promise(resolve => child.once('close', resolve))
  expect(heard[0]).toEqual({
    command: [expect.stringContaining('bash')],
    terminal: { columns: 100, rows: 30, type: 'xterm-256color' },
  })
  expect(shown).toMatch(/ready\$ 3\r\n[\s\S]* icanon /)
})

it('svc run without a command asks for one in a script', async () => {
  const { code, stderr } = await svc(['run'], {
    cwd: linked(),
    env: { SVC_API_URL: 'http://127.0.0.1:1', SVC_TOKEN: token },
  })
  expect(code).toBe(1)
  expect(stderr).toContain('Which command?')
})

it('svc run says why a command was ended', async () => {
  const { code, stderr } = await run(
    lines({ exit_code: 137, reason: 'It took longer than 30 minutes.' }),
    'x',
  )
  expect({ code, stderr }).toEqual({ code: 137, stderr: 'It took longer than 30 minutes.\n' })
})

it.each([
  ['between lines', lines({ stdout: base64('half') })],
  ['in the middle of a line', `${lines({ stdout: base64('half') })}{"std`],
])('svc run says so if the connection ends %s', async (_, answer) => {
  const { code, stdout, stderr } = await run(answer, 'x')
  expect({ code, stdout, stderr }).toEqual({
    ...{ code: 1, stdout: 'half' },
    stderr: 'svc: The connection broke before the command ended. The platform ends it.\n',
  })
})

it('svc run passes on a refusal, before the connection and on it', async () => {
  const api = await standIn({
    'GET /projects/shop/run': refusal('not_a_server', 'The project has no live server app.', 400),
  })
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
  expect(await svc(['run', 'x'], { cwd: linked(), env })).toMatchObject({
    ...{ code: 1, stderr: 'svc: The project has no live server app. (not_a_server)\n' },
  })
  const error = { code: 'run_under_way', message: 'The app runs and has its disk.' }
  expect(await run(lines({ error }), 'x')).toMatchObject({
    ...{ code: 1, stderr: 'svc: The app runs and has its disk. (run_under_way)\n' },
  })
})
