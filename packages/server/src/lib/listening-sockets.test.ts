// The sockets need an internal function of Node.js. If a version of Node.js drops or changes it, these tests fail first.
import { once } from 'node:events'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { bindSocket } from './listening-sockets.ts'

test('this Node.js binds a socket whose connections wait until a server takes them', async () => {
  const socket = await bindSocket('127.0.0.1', 0)
  expect(socket).toMatchObject({ host: '127.0.0.1', fd: expect.any(Number), isInherited: false })
  const server = createServer(connection => connection.end('taken'))
  onTestFinished(() => void server.close())
  await socket.listen(server)
  const client = connect(socket.port, '127.0.0.1')
  const [answer] = await once(client, 'data')
  expect(String(answer)).toBe('taken')
})

test('a connection that the system cannot accept concerns nobody else', async () => {
  const socket = await bindSocket('127.0.0.1', 0)
  const server = createServer(connection => connection.end('taken'))
  onTestFinished(() => void server.close())
  await socket.listen(server)
  // As Node does where no file descriptor is free.
  server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
  const [answer] = await once(connect(socket.port, '127.0.0.1'), 'data')
  expect(String(answer)).toBe('taken')
})

test('a port that is in use is refused with the code of the system', async () => {
  const first = await bindSocket('127.0.0.1', 0)
  const server = createServer()
  onTestFinished(() => void server.close())
  await first.listen(server)
  await expect(bindSocket('127.0.0.1', first.port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test('a Node.js without the internal function is named, with what to do', async () => {
  const net = createRequire(import.meta.url)('node:net')
  const { _createServerHandle: kept } = net
  net._createServerHandle = undefined
  syncBuiltinESMExports()
  onTestFinished(() => {
    net._createServerHandle = kept
    syncBuiltinESMExports()
  })
  await expect(bindSocket('127.0.0.1', 0)).rejects.toThrow(
    `Node.js ${process.version} lacks net._createServerHandle, which svcd needs to open its sockets.`,
  )
})
