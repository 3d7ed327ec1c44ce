import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { onRequests } from './unread-bodies.ts'

test('a connection keeps nothing of the bodies that were refused on it', async () => {
  const server = createServer()
  onRequests(server, (_req, res) => void res.writeHead(413, { 'content-length': 0 }).end())
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const [socket] = (await once(server, 'connection')) as [Socket]
  let text = ''
  client.on('data', chunk => {
    text += chunk
  })
  const counts = new Set<number>()
  for (let i = 1; i <= 20; i++) {
    client.write('POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100000\r\n\r\n')
    await eventually(() => text.split('413').length === i + 1)
    client.write('x'.repeat(100_000))
    await eventually(() => socket.bytesRead >= i * 100_000)
    if (i > 1) counts.add(socket.listenerCount('close'))
  }
  expect(counts.size).toBe(1)
})
