// An app that answers as the test says, behind an edge that clients reach by HTTP/2.
import type { Socket } from 'node:net'
import { eventually } from '../../../../testing/eventually.ts'
import { patient, startRawApp, startTestApp } from '../../../proxy/testapp.ts'
import { preface } from '../frames.ts'
import { requestFields, startHttp2App } from './app-differential.ts'
import { headers, RawClient, settings } from './raw-client.ts'

export type Http2RawApp = Awaited<ReturnType<typeof startHttp2RawApp>>

/** `asked`: these are asked for first. So connections to the app are open, and the cache knows that the answers are not stored. */
export async function startHttp2RawApp(
  onChunk: (chunk: string, socket: Socket) => void,
  { hasLane = true, asked = ['/', '/'] } = {},
) {
  const app = await startRawApp(onChunk)
  const bed = await startTestApp((_req, res) => res.end(), { fastLanes: false, appTimeouts: patient })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
  const http2 = await startHttp2App(bed, hasLane)
  const client = await RawClient.open(http2.port)
  const requests = asked.map((path, i) => headers(2 * i + 1, requestFields('GET', path)))
  client.send(preface, settings(), ...requests)
  await client.until(() => asked.every((_, i) => isOver(client, 2 * i + 1)))
  client.close()
  await eventually(() => bed.apps.underWay === 0)
  http2.counts.passed = 0
  bed.accesses.length = 0
  const stop = async () => {
    await http2.stop()
    await bed.stop()
    await app.stop()
  }
  return { bed, http2, stop }
}

/** Whether the stream was ended or reset. */
export const isOver = (client: RawClient, id: number): boolean => (client.streams.get(id)?.end ?? '') !== ''
