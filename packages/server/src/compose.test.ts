import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { type Role, startPlatform } from './compose.ts'
import { readSettings } from './config.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function start(roles: Role[], port = '0') {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-roles-'))
  ends.push(() => rm(dataDir, { recursive: true }))
  const settings = readSettings({ SVCD_PORT: port, SVCD_DATA_DIR: dataDir })
  const running = await startPlatform(settings, { log: pino({ level: 'silent' }), roles })
  ends.push(() => running.stop())
  const ask = async (host: string, target: string): Promise<number> => {
    const req = request({
      host: '127.0.0.1',
      port: running.port,
      path: target,
      headers: { host },
      agent: false,
    })
    const [res] = (await once(req.end(), 'response')) as [IncomingMessage]
    res.resume()
    return res.statusCode ?? 0
  }
  return { running, ask }
}

it('an API node serves no sites', async () => {
  const { ask } = await start(['api'])
  expect(await ask('localhost', '/health')).toBe(200)
  expect(await ask('any.localhost', '/')).toBe(404)
})

it('an edge node has no API, and says how it is', async () => {
  const { ask } = await start(['edge'])
  expect(await ask('localhost', '/projects')).toBe(404)
  expect(await ask('localhost', '/health/live')).toBe(200)
})

it('a worker opens no port', async () => {
  const { running } = await start(['worker'], '1')
  expect(running.port).toBe(1)
  const refused = new Promise(resolve => createConnection(running.port, '127.0.0.1').once('error', resolve))
  expect(await refused).toMatchObject({ code: 'ECONNREFUSED' })
})
