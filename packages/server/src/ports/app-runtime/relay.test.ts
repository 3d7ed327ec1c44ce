import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { connectByRelay, relayConnections } from './relay.ts'

/** Starts the relay of a runner with the app `ins_a`. Returns the function that connects through it. */
async function relayed() {
  const app = createServer((req, res) => req.pipe(res))
  await new Promise<void>(resolve => app.listen(0, '127.0.0.1', resolve))
  const { port } = app.address() as AddressInfo
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-relay-'))
  const socketFile = path.join(dir, 'apps.sock')
  const stop = await relayConnections(socketFile, async ({ host, port: asked }) => {
    if (host !== 'ins_a' || asked !== 3000) throw new Error(`connect ECONNREFUSED ${host}`)
    return connect(port, '127.0.0.1')
  })
  onTestFinished(async () => {
    await stop()
    app.closeAllConnections()
    app.close()
    rmSync(dir, { recursive: true })
  })
  return connectByRelay(socketFile)
}

test('an edge beside the runner reaches an app by the id of its instance', async () => {
  const dial = await relayed()
  const socket = await dial({ host: 'ins_a', port: 3000 })
  const body = 'x'.repeat(1_000_000)
  const answer = await new Promise<string>((resolve, reject) => {
    const asking = request({ createConnection: () => socket, method: 'POST' }, res => {
      let text = ''
      res.on('data', part => (text += part)).on('end', () => resolve(text))
    })
    asking.on('error', reject).end(body)
  })
  expect(answer).toBe(body)
})

test('a relay that stops while it connects to an app leaves no connection to the app', async () => {
  const steps = new EventEmitter()
  const [asked, allowed] = [once(steps, 'asked'), once(steps, 'allowed')]
  const app = createTcpServer()
  await new Promise<void>(resolve => app.listen(0, '127.0.0.1', resolve))
  const { port } = app.address() as AddressInfo
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-relay-'))
  let toApp: Socket | undefined
  const stop = await relayConnections(path.join(dir, 'apps.sock'), async () => {
    steps.emit('asked')
    await allowed
    toApp = connect(port, '127.0.0.1')
    return toApp
  })
  onTestFinished(() => {
    toApp?.destroy()
    app.close()
    rmSync(dir, { recursive: true })
  })
  const client = connect(path.join(dir, 'apps.sock'))
  client.write('ins_a 3000\n')
  await asked
  const stopping = stop()
  await once(client.resume(), 'close')
  steps.emit('allowed')
  await eventually(() => toApp?.destroyed === true)
  await stopping
})

test('connecting to an instance that does not run rejects with the reason', async () => {
  const dial = await relayed()
  await expect(dial({ host: 'ins_b', port: 3000 })).rejects.toThrow('connect ECONNREFUSED ins_b')
})
