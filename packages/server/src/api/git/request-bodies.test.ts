// Clients that leave while nobody reads what they send. An error that nobody listens to would end svcd.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { RequestBodies } from './request-bodies.ts'

/** `keep` may ask the client to leave, which resolves when its request has ended. */
async function bodyOf<T>(
  keep: (body: AsyncIterable<Buffer>, leave: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const bodies = new RequestBodies()
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write('POST / HTTP/1.1\r\nHost: git.test\r\nContent-Length: 1000\r\n\r\n0000')
  const [req, res] = await once(server, 'request')
  const leave = async () => {
    const isOver = new Promise(resolve => (req as IncomingMessage).once('close', resolve))
    client.destroy()
    await isOver
  }
  return await bodies.read({ account: 'a', req, res }, body => keep(body, leave))
}

it('tells who begins to read after the client left', async () => {
  const read = bodyOf(async (body, leave) => {
    await leave()
    for await (const _ of body);
  })
  await expect(read).rejects.toThrow('The request ended before its body did.')
})

it('lets the client of a request that is too large leave', async () => {
  const read = bodyOf(async (body, leave) => {
    for await (const chunk of body) {
      expect(String(chunk)).toBe('0000')
      break
    }
    await leave()
    return 'the rest is not read'
  })
  expect(await read).toBe('the rest is not read')
})
