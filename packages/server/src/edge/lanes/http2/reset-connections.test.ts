// Clients that reset their connection, with requests under way and without. By TLS, Node may then never say that a write has failed.
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { requestFields } from './testing/app-differential.ts'
import { headers, RawClient, start } from './testing/raw-client.ts'
import { startLaneTestbed } from './testing/testbed.ts'

test.each([
  ['without TLS, the lane', false, 'lane'],
  ['by TLS, the lane', true, 'lane'],
  ['by TLS, node:http2 alone', true, 'node'],
] as const)('no connection is left of clients that reset theirs: %s', async (_, isSecure, kind) => {
  const bed = await startLaneTestbed({ keepAlive: 200, idle: 200, closing: 100 }, {}, true)
  onTestFinished(() => bed.stop())
  for (let i = 0; i < 20; i++) {
    const client = await RawClient.open((isSecure ? bed.securePorts : bed.ports)[kind], isSecure)
    client.send(start)
    if (i % 2 === 0) client.send(headers(1, requestFields('GET', '/larger.txt')))
    // The reset comes at different moments.
    for (let turn = 0; turn < Math.floor(i / 4); turn++) await new Promise(setImmediate)
    client.reset()
  }
  await eventually(
    () => bed.openConnections(kind),
    open => open === 0,
  )
  expect(bed.bed.errors).toEqual([])
})
