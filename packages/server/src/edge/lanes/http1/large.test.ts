import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exchange } from '../../../testing/connection.ts'
import { eventually } from '../../../testing/eventually.ts'
import { unsentBytes } from '../direct-writes.ts'
import { pieceBytes } from './large.ts'
import { get, listenWithTls, startLane } from './testbed.ts'

describe('a large file', () => {
  const bytes = 64 * 1024 * 1024

  test('is sent in pieces, of which a slow reader holds few', async () => {
    const { server, dial } = await startLane(bytes)
    const accepted = new Promise<Socket>(accept => server.once('connection', accept))
    const client = dial()
    client.write(get('/hot'))
    const socket = await accepted
    await new Promise(begun => client.once('readable', begun))
    for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate)
    expect(unsentBytes(socket)).toBeGreaterThan(0)
    expect(unsentBytes(socket)).toBeLessThanOrEqual(pieceBytes)
  })

  test.each([
    ['together with it', 0],
    ['while it is sent', 20],
  ])('is followed by the answer to a request that came %s', async (_, turns) => {
    const { dial } = await startLane(bytes)
    const client = dial()
    client.write(get('/hot'))
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
    client.end(get('/other', 'Connection: close'))
    const parts: Buffer[] = []
    for await (const chunk of client as AsyncIterable<Buffer>) parts.push(chunk)
    const received = Buffer.concat(parts)
    expect(received.indexOf('HTTP/1.1', bytes)).toBeGreaterThan(bytes)
    expect(received.subarray(bytes).toString('latin1')).toContain('by node:http')
  })

  test('leaves the other connections their turns', async () => {
    const { dial, port } = await startLane(bytes)
    const client = dial()
    client.write(get('/hot'))
    await new Promise(begun => client.once('readable', begun))
    expect(await exchange(port, [get('/other', 'Connection: close')])).toContain('by node:http')
  })

  test('is sent to its end if the lane is drained meanwhile, and counted as far as it was sent', async () => {
    const { dial, lane, counted } = await startLane(bytes)
    const client = dial()
    client.write(get('/hot'))
    await new Promise(begun => client.once('readable', begun))
    lane.drain()
    const closing = setInterval(() => lane.closeIdle(), 10)
    onTestFinished(() => clearInterval(closing))
    let received = 0
    for await (const chunk of client as AsyncIterable<Buffer>) received += chunk.length
    expect(received).toBeGreaterThan(bytes)
    expect(counted).toEqual([{ status: 200, bytes }])
  })

  test('is sent to its end to a client with TLS that ends its side together with its request', async () => {
    const { server, counted } = await startLane(bytes)
    const port = await listenWithTls(server)
    const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    onTestFinished(() => void client.destroy())
    await once(client, 'secureConnect')
    client.end(get('/hot'))
    let received = 0
    for await (const chunk of client as AsyncIterable<Buffer>) received += chunk.length
    expect(received).toBeGreaterThan(bytes)
    expect(counted).toEqual([{ status: 200, bytes }])
  })

  test('is sent to its end to a client that ends its side, also if node:http answered an earlier request', async () => {
    const { dial, counted } = await startLane(bytes)
    const client = dial()
    client.write(get('/other'))
    await once(client, 'readable')
    client.read()
    client.end(get('/hot'))
    let received = 0
    for await (const chunk of client as AsyncIterable<Buffer>) received += chunk.length
    expect(received).toBeGreaterThan(bytes)
    expect(counted).toEqual([{ status: 200, bytes }])
  })

  test('that nobody takes to its end is counted as far as it was sent', async () => {
    const { dial, counted } = await startLane(bytes)
    const client = dial()
    client.write(get('/hot'))
    await new Promise(begun => client.once('readable', begun))
    client.destroy()
    await eventually(async () => counted.length === 1)
    expect(counted[0]!.bytes).toBeGreaterThan(0)
    expect(counted[0]!.bytes).toBeLessThan(bytes)
  })
})
