// Clients by TLS and HTTP/2 that end their side of the connection while they receive a long answer of an app.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../listener.ts'
import { Authority } from '../../../testing/authority.ts'
import { eventually } from '../../../testing/eventually.ts'
import { handlersWith } from '../../../testing/handlers.ts'
import { patient, startTestApp } from '../../proxy/testapp.ts'
import { max31, preface, windowUpdate } from './frames.ts'
import { requestFields } from './testing/app-differential.ts'
import { headers, settings, settingsAck } from './testing/raw-client.ts'

const host = 'shop.example.test'
const piece = Buffer.alloc(64 * 1024, 'x')
const sendForEver = (res: ServerResponse): void => {
  while (!res.destroyed) if (!res.write(piece)) return void res.once('drain', () => sendForEver(res))
}

test.each([
  ['node:http2 sends', (i: number) => `/${i}`],
  ['the lane sends', () => '/same'],
])('the connection closes, and the app is told, during an answer that %s', async (_, pathOf) => {
  const authority = await Authority.make()
  const bed = await startTestApp((_req, res) => sendForEver(res), { appTimeouts: patient })
  const listener = await listen({ host: '127.0.0.1', port: 0, tlsPort: 0 })
  onTestFinished(async () => {
    await listener.stop(0)
    await bed.stop()
    await authority.remove()
  })
  const edge = { ...bed.edge, mayUseLane: () => true }
  await listener.dispatchTo(handlersWith(await authority.certificate(host), edge, bed.hosts))
  // How much of the answer is under way when the end comes is different each time.
  for (let i = 0; i < 20; i++) {
    const at = { host: '127.0.0.1', port: listener.tlsPort!, servername: host }
    const client = connect({ ...at, ca: authority.ca, ALPNProtocols: ['h2'] })
    client.on('error', () => undefined)
    client.write(Buffer.concat([preface, settings([[4, max31]]), settingsAck]))
    client.write(
      Buffer.concat([windowUpdate(0, max31 - 65_535), headers(1, requestFields('GET', pathOf(i)))]),
    )
    let received = 0
    client.on('data', ({ length }: Buffer) => {
      received += length
      if (received > (10 + i) * piece.length) client.end()
    })
    await once(client, 'close')
    await eventually(() => bed.apps.underWay === 0)
  }
  expect(bed.errors).toEqual([])
})
