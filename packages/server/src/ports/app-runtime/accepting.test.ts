import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { acceptingHost, accepts, behindProxyMs } from './accepting.ts'

test('a proxy that accepts connections before the app listens is not taken for the app', async () => {
  let refused = 0
  const open: Socket[] = []
  const proxy = createServer(socket => {
    if (refused < 3) socket.end()
    else open.push(socket)
    refused++
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  const { port } = proxy.address() as AddressInfo
  const signal = new AbortController().signal
  expect(await acceptingHost(['127.0.0.1'], port, signal, behindProxyMs)).toBe('127.0.0.1')
  expect(refused).toBe(4)
})

test('a port on which no program listens does not accept connections', async () => {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  expect(await accepts('127.0.0.1', port)).toBe(true)
  await new Promise(resolve => server.close(resolve))
  expect(await accepts('127.0.0.1', port)).toBe(false)
})
