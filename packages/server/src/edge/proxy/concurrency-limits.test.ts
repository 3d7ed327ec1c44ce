import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { AnswerOnly, BegunRequest } from './begun-request.ts'
import { Cancellation } from './cancellation.ts'
import { patient, startRawApp, startTestApp } from './testapp.ts'
import { Upstream } from './upstream.ts'

test('requests by the thousand on one connection reach an app only up to a bound', async () => {
  const held: ServerResponse[] = []
  const bed = await startTestApp((_req, res) => void held.push(res), {
    appConcurrency: { perApp: 5, inAll: 100 },
  })
  const request = 'POST / HTTP/1.1\r\nHost: shop.example.test\r\nContent-Length: 0\r\n\r\n'
  const client = connect(bed.port, '127.0.0.1', () => client.write(request.repeat(50)))
  let text = ''
  client.on('data', data => {
    text += data
  })
  const answers = () => text.match(/HTTP\/1\.1 \d+/g) ?? []
  await eventually(async () => held.length === 5 && bed.apps.underWay === 50)
  // Those that were let in are answered: then come the others, which were not.
  for (const res of held) res.end('let in')
  await eventually(async () => answers().length === 50)
  expect(answers().filter(line => line.endsWith('503'))).toHaveLength(45)
  expect(held).toHaveLength(5)

  const next = bed.ask('shop', '/', { method: 'POST' })
  await eventually(async () => held.length === 6)
  held[5]!.end('next')
  expect((await next).text).toBe('next')
  expect(bed.errors).toEqual([])
  client.destroy()
  await bed.stop()
})

test('a request that the app already has is finished, even if a limit is reached meanwhile', async () => {
  const app = await startRawApp((text, socket) => {
    if (text.startsWith('GET /begun')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  })
  const address = { host: '127.0.0.1', port: app.port }
  const upstream = new Upstream(patient, { perApp: 1, inAll: 1 })
  const outgoing = {
    method: 'GET',
    path: '/',
    headers: [],
    body: undefined,
    cancellation: new Cancellation(),
  }
  const waiting = upstream.send(address, outgoing)
  await expect(upstream.send(address, outgoing)).rejects.toThrow('Too many requests')
  const socket = connect(address)
  socket.write('GET /begun HTTP/1.1\r\n\r\n')
  const answer = new AnswerOnly(socket, Buffer.alloc(0))
  const ids = { requestId: 'req_1', deploymentId: 'dep_1' }
  const begun = new BegunRequest({ ...ids, address, answer, hasLostBody: false })
  const { statusCode } = await upstream.send(address, outgoing, begun)
  expect(statusCode).toBe(200)
  upstream.close()
  await expect(waiting).rejects.toThrow()
  socket.destroy()
  await app.stop()
})

test('requests that node:http refuses to send do not count', async () => {
  const app = await startRawApp((_, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
  const address = { host: '127.0.0.1', port: app.port }
  const upstream = new Upstream(patient, { perApp: 2, inAll: 2 })
  const cancellation = new Cancellation()
  const send = (headers: string[]) =>
    upstream.send(address, { method: 'GET', path: '/', headers, body: undefined, cancellation })
  for (let i = 0; i < 3; i++) await expect(send(['X-A', 'a\nb'])).rejects.toThrow('Invalid character')
  expect((await send([])).statusCode).toBe(200)
  upstream.close()
  await app.stop()
})

test('requests with a length that announce trailers reach the app without the announcement', async () => {
  const seen: (string | undefined)[] = []
  const bed = await startTestApp(
    (req, res) => {
      seen.push(req.headers.trailer)
      req.resume().on('end', () => res.end('ok'))
    },
    { appConcurrency: { perApp: 2, inAll: 2 } },
  )
  const request =
    'POST / HTTP/1.1\r\nHost: shop.example.test\r\nTrailer: X-Sum\r\nContent-Length: 3\r\n\r\nabc'
  const client = connect(bed.port, '127.0.0.1', () => client.write(request))
  let text = ''
  client.on('data', data => {
    text += data
    if (seen.length < 3) client.write(request)
  })
  await eventually(() => text.match(/HTTP\/1\.1 200 OK.*?\r\n\r\nok/gs)?.length === 3)
  expect(seen).toEqual([undefined, undefined, undefined])
  expect(bed.errors).toEqual([])
  client.destroy()
  await bed.stop()
})
