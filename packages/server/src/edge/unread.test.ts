import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from './proxy/testapp.ts'
import { startTestbed, type Testbed } from './testbed.ts'

const MB = 1024 * 1024
const clients = 30
let bed: Testbed

beforeAll(async () => {
  bed = await startTestbed()
  await bed.deploy('shop', { 'index.html': 'hello', 'large.bin': randomBytes(8 * MB) })
})
afterAll(() => bed.stop())

/** Asks for a path, and takes nothing of the answer but its first bytes. */
const askAndStare = (path: string, times: number, { port } = bed): Promise<Socket> =>
  new Promise((done, fail) => {
    const socket = connect(port, '127.0.0.1')
    const request = `GET ${path} HTTP/1.1\r\nHost: shop.example.test\r\n\r\n`
    socket.on('error', fail).write(request.repeat(times))
    socket.once('readable', () => done(socket))
  })

test.each([
  ['large files', '/large.bin', 1],
  ['small files, asked for again and again', '/', 2_000],
])('clients that never read cost little memory and keep nobody waiting: %s', async (_, path, times) => {
  await bed.ask('shop', '/')
  const before = process.memoryUsage().arrayBuffers
  const sockets = await Promise.all(Array.from({ length: clients }, () => askAndStare(path, times)))
  expect((await bed.ask('shop', '/')).text).toBe('hello')
  // All answers together would be 240 MB, or 60,000 heads.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * MB)
  for (const socket of sockets) socket.destroy()
})

test('downloads that are broken off leave no file open', async () => {
  await bed.ask('shop', '/')
  const before = await bed.openFiles()
  const sockets = await Promise.all(Array.from({ length: clients }, () => askAndStare('/large.bin', 1)))
  for (const socket of sockets) socket.resetAndDestroy()
  while ((await bed.openFiles()) > before) await new Promise(resolve => setTimeout(resolve, 10))
  expect((await bed.ask('shop', '/')).text).toBe('hello')
  expect(bed.errors).toEqual([])
})

test('clients that never read what is to be kept of an app cost no more memory than that may', async () => {
  const body = randomBytes(8 * MB - 1024)
  const app = await startTestApp(
    (_req, res) => res.writeHead(200, { 'cache-control': 's-maxage=60' }).end(body),
    {
      cacheBytes: 64 * MB,
    },
  )
  const before = process.memoryUsage().arrayBuffers
  const sockets = await Promise.all(
    Array.from({ length: clients }, (_, i) => askAndStare(`/?${i}`, 1, app as unknown as Testbed)),
  )
  // One more, which is read to its end, comes after all of what can be read of the others.
  expect((await app.ask('shop', '/last')).body.length).toBe(body.length)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200 * MB)
  for (const socket of sockets) socket.destroy()
  await app.stop()
})
