import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { procfileApp, TestApp } from '../../testing/apps.ts'
import { eventually } from '../../testing/eventually.ts'
import { submitJson } from '../../testing/forms.ts'
import { onEveryServer, TestServer } from '../../testing/server.ts'
import { setPassword } from '../../testing/sites.ts'

/** Echoes bodies and what it knows of the visitor, and speaks a protocol of its own after an upgrade. */
const echoing = `
const server = require('node:http').createServer((req, res) => {
  res.setHeader('x-seen', JSON.stringify([req.headers.host, req.headers['x-forwarded-for'], req.headers.cookie]))
  req.pipe(res)
})
server.on('upgrade', (req, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: echo\\r\\n\\r\\n')
  socket.pipe(socket)
})
server.listen(process.env.PORT, process.env.HOSTNAME)
`

/** A connection to the platform that asks for the app's own protocol, and what came back on it. */
function upgrade(server: TestServer, host: string) {
  const socket = connect(server.running.port, '127.0.0.1')
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  socket.on('error', () => undefined)
  socket.write(
    `GET /chat HTTP/1.1\r\nHost: ${host}.localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`,
  )
  return { socket, has: (part: string) => eventually(async () => text.includes(part)), text: () => text }
}

onEveryServer(server => {
  test('a deployed app gets requests with their bodies and their visitors, and upgrades', async () => {
    const app = await TestApp.create(server())
    await app.deploy(procfileApp('app', echoing))
    const answer = await server().site(app.name, '/form', {
      method: 'POST',
      body: 'hello',
      headers: { cookie: 'svc-visit=x; a=1', 'x-forwarded-for': '6.6.6.6' },
    })
    expect(answer).toMatchObject({ status: 200, text: 'hello' })
    expect(JSON.parse(String(answer.headers['x-seen']))).toEqual([
      `${app.name}.localhost`,
      '127.0.0.1',
      'a=1',
    ])

    // Forms are the platform's, on apps as on files.
    expect((await submitJson(server(), app.name, 'contact', { a: 1 })).json).toEqual({ ok: true })

    const chat = upgrade(server(), app.name)
    await chat.has('101 Switching Protocols')
    chat.socket.write('ping')
    await chat.has('\r\n\r\nping')
    chat.socket.destroy()
  })

  test('a password stands before upgrades as before requests', async () => {
    const app = await TestApp.create(server())
    await app.deploy(procfileApp('app', echoing))
    await setPassword(server(), app.token, app.name, 'open sesame')
    const { socket, text } = upgrade(server(), app.name)
    await once(socket, 'close')
    expect(text()).toMatch(/^HTTP\/1\.1 401 /)
  })
})

test('a platform that stops ends the tunnels to its apps', async () => {
  const server = await TestServer.start()
  const app = await TestApp.create(server)
  await app.deploy(procfileApp('app', echoing))
  const chat = upgrade(server, app.name)
  await chat.has('101')
  const closed = once(chat.socket, 'close')
  await server.remove()
  await closed
})
