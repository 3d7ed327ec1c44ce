// HTTP/2 sessions that end, and connections that their clients do not close.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { frameTypes, goaway } from '../lanes/http2/frames.ts'
import { connectionErrors, get } from '../lanes/http2/testing/conformance-cases.ts'
import { frame, headers, RawClient, start } from '../lanes/http2/testing/raw-client.ts'
import { startLaneTestbed } from '../lanes/http2/testing/testbed.ts'

type Parts = (Buffer | Buffer[])[]

const openStream = headers(1, [[':method', 'POST'], ...get().slice(1)], 4)

/** Errors that need no stream, with these frames before each. */
const errorsAfter = (...frames: Buffer[]): Parts[] =>
  [
    frame(frameTypes.continuation, 4, 1),
    frame(frameTypes.ping, 0, 0, Buffer.alloc(6)),
    frame(frameTypes.settings, 0, 0, Buffer.alloc(3)),
    frame(frameTypes.data, 0, 0),
    frame(frameTypes.headers, 5, 3, Buffer.alloc(9, 0xff)),
  ].map(error => [[...frames, error]])

const cases: [name: string, sent: Parts[]][] = [
  ['an error of the client', connectionErrors.map(([, , ...parts]) => parts)],
  ['an error of a client with an open stream', errorsAfter(openStream)],
  ['an error of a client with an open stream, after its GOAWAY', errorsAfter(openStream, goaway(0, 0))],
]

describe.each(['lane', 'node'] as const)('a connection with %s', kind => {
  it.each(cases)('is closed soon after %s', async (_, sent) => {
    const bed = await startLaneTestbed({ idle: 0 })
    onTestFinished(() => bed.stop())
    const clients: RawClient[] = []
    for (const parts of sent) {
      const client = await RawClient.open(bed.ports[kind])
      onTestFinished(() => client.close())
      clients.push(client)
      client.send(start)
      await client.roundTrip()
      for (const part of parts) {
        client.send(...[part].flat())
        await client.roundTrip()
      }
    }
    await eventually(() => clients.every(({ hasEnded }) => hasEnded))
    await eventually(async () => (await bed.openConnections(kind)) === 0)
  })

  /** A client that reads all, but never closes its side. */
  async function openHalf(port: number): Promise<Socket> {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => void client.destroy())
    client.on('error', () => undefined).resume()
    client.write(start)
    await once(client, 'data')
    return client
  }

  it('is closed some time after its session, if the client does not close its side', async () => {
    const bed = await startLaneTestbed({ keepAlive: 100, closing: 100 })
    onTestFinished(() => bed.stop())
    const client = await openHalf(bed.ports[kind])
    await once(client, 'end')
    await eventually(async () => (await bed.openConnections(kind)) === 0)
  })

  it('does not keep the server from stopping, if the client does not close its side', async () => {
    const bed = await startLaneTestbed()
    await openHalf(bed.ports[kind])
    await bed.stop()
    expect(await bed.openConnections(kind).catch(() => 0)).toBe(0)
  })
})
