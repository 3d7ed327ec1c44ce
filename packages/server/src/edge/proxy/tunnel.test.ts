import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { sendPage } from '../pages.ts'
import { startTestApp, type TestApp } from './testapp.ts'

let bed: TestApp
let admitted = true
let upgrades: IncomingMessage[] = []
let appSockets: Socket[] = []

beforeEach(async () => {
  admitted = true
  upgrades = []
  appSockets = []
  bed = await startTestApp(
    (req, res) => res.end(`plain ${req.headers.upgrade ?? 'http'}`),
    {},
    {
      gate: {
        admits: async exchange => {
          if (!admitted) sendPage(exchange, 'membersOnly')
          return admitted
        },
      },
    },
  )
  bed.app.on('upgrade', (req, duplex, head) => {
    const socket = duplex as Socket
    upgrades.push(req)
    appSockets.push(socket)
    if (req.url === '/no') return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Accept: yes\r\n\r\n',
    )
    socket.write(`hello ${head}`)
    socket.on('end', () => socket.end())
    socket.on('data', chunk => socket.write(`echo ${chunk}`))
    socket.on('error', () => socket.destroy())
  })
})

afterEach(async () => {
  for (const socket of appSockets) socket.destroy()
  await bed.stop()
})

const upgradeRequest = (path: string, host = 'shop', ...fields: string[]) =>
  [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}.example.test`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Key: abc',
    ...fields,
    '',
    '',
  ].join('\r\n')

/** A connection with all that came on it. */
function open(bytes: string) {
  const socket = connect(bed.port, '127.0.0.1', () => socket.write(bytes))
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  socket.on('error', () => undefined)
  const has = (part: string) => eventually(async () => text.includes(part))
  return { socket, has, text: () => text }
}

test('a WebSocket passes in both directions, with the bytes that came along', async () => {
  const { socket, has, text } = open(
    `${upgradeRequest('/chat?room=1', 'shop', 'Cookie: svc-visit=x; a=1')}early`,
  )
  await has('hello')
  await has('echo early')
  expect(text()).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
  expect(text()).toMatch(/X-Accept: yes\r\n[\s\S]*Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n/)
  expect(upgrades[0]).toMatchObject({
    url: '/chat?room=1',
    headers: {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-key': 'abc',
      cookie: 'a=1',
      'x-forwarded-for': '127.0.0.1',
    },
  })
  socket.write('one')
  await has('echo one')
  expect(bed.apps.underWay).toBe(1)
  expect(bed.accesses).toMatchObject([{ target: '/chat?room=1', status: 101, html: false }])
  socket.end()
  await eventually(async () => bed.apps.underWay === 0)
  expect(bed.accesses).toHaveLength(1)
})

test('a WebSocket ends for both sides when one of them ends it', async () => {
  const first = open(upgradeRequest('/'))
  await first.has('hello')
  appSockets[0]!.end('bye')
  await once(first.socket, 'close')
  expect(first.text()).toContain('bye')

  const second = open(upgradeRequest('/'))
  await second.has('hello')
  const ended = once(appSockets[1]!, 'close')
  second.socket.destroy()
  await ended
  await eventually(async () => bed.apps.underWay === 0)
})

test('an app that refuses an upgrade is heard', async () => {
  const { socket, text } = open(upgradeRequest('/no'))
  await once(socket, 'close')
  expect(text()).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*\r\n\r\nno$/)
  await eventually(async () => bed.apps.underWay === 0)
})

test('the gate stands before upgrades too', async () => {
  const guard = { mode: 'org', projectId: 'prj_closed', project: 'closed', generation: 1 } as const
  await bed.deployApp('closed', undefined, { guard })
  admitted = false
  const { socket, text } = open(upgradeRequest('/', 'closed'))
  await once(socket, 'close')
  expect(text()).toMatch(/^HTTP\/1\.1 401/)
  expect(upgrades).toEqual([])

  admitted = true
  const member = open(upgradeRequest('/', 'closed'))
  await member.has('hello')
  expect(member.text()).toContain('Cache-Control: private, no-store')
  member.socket.destroy()
})

test('a site without an app answers as if nothing else had been asked for', async () => {
  await bed.deploy('static', { 'index.html': 'home' })
  const close = 'GET / HTTP/1.1\r\nHost: static.example.test\r\nConnection: close\r\n\r\n'
  for (let i = 0; i < 2; i++) {
    const { socket, has, text } = open(upgradeRequest('/', 'static'))
    await has('home')
    socket.write(close)
    await once(socket, 'close')
    expect(text().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  }
})

test.each([
  ['HTTP/2 without TLS', upgradeRequest('/').replace('websocket', 'h2c')],
  ['HTTP/2 without TLS as one of several', upgradeRequest('/').replace('websocket', 'h2c , x')],
  ['HTTP/2 without TLS as the last of several', upgradeRequest('/').replace('websocket', 'websocket,\tH2C')],
  ['HTTP/2 without TLS by its version', upgradeRequest('/').replace('websocket', 'h2c/2')],
  ['HTTP/2 without TLS in a second field', upgradeRequest('/', 'shop', 'Upgrade: h2c')],
  ['an upgrade with a body', `${upgradeRequest('/', 'shop', 'Content-Length: 3').replace('GET', 'POST')}abc`],
])('%s is an ordinary request to the app', async (_, bytes) => {
  const { socket, has } = open(bytes)
  await has('plain http')
  expect(upgrades).toEqual([])
  socket.destroy()
})

test('an app that cannot be reached is a 502', async () => {
  bed.apps.address = { host: '127.0.0.1', port: 1 }
  const { socket, text } = open(upgradeRequest('/'))
  await once(socket, 'close')
  expect(text()).toMatch(/^HTTP\/1\.1 502/)
  await eventually(async () => bed.apps.underWay === 0)
})
