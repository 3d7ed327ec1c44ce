// Notifications when servers are killed, and when two of them share a database.
import { randomBytes } from 'node:crypto'
import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { createClient } from '@svc/contract/client'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { startReceiver } from '@svc/server/dist/testing/webhook-receiver.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Machine, type Svcd } from './svcd.ts'

const name = 'shop'

async function addHook(call: ReturnType<typeof createClient>) {
  const receiver = await startReceiver()
  await call('POST /projects', { body: { name } })
  const body = { kind: 'webhook' as const, address: receiver.url }
  const { id } = await call('POST /projects/:name/notifications', { params: { name }, body })
  const ids = () => receiver.received.map(({ headers }) => headers['x-svc-delivery'])
  return { params: { name, id }, ids }
}

describe.each(['sqlite', 'postgres'])('on %s', engine => {
  test('a notification is sent once, although the server is killed before it is sent', async () => {
    const database = engine === 'postgres' ? await freshPostgres() : undefined
    const machine = await Machine.make({
      SVCD_ALLOW_PRIVATE_TARGETS: '1',
      ...(database && { SVCD_DATABASE_URL: database.url }),
    })
    let svcd: Svcd | undefined
    onTestFinished(async () => {
      await svcd?.stop('SIGKILL')
      await machine.remove()
      await database?.drop()
    })
    // Without the worker, which would send it at once.
    svcd = await machine.start('--role', 'api,edge')
    const token = await machine.token('ada')
    let call = createClient({ baseUrl: svcd.url, token })
    const { params, ids } = await addHook(call)
    const { id } = await call('POST /projects/:name/notifications/:id/test', { params })
    await svcd.stop('SIGKILL')
    expect(ids()).toEqual([])

    svcd = await machine.start()
    call = createClient({ baseUrl: svcd.url, token })
    await eventually(async () => {
      const log = await call('GET /projects/:name/notifications/:id/deliveries', { params })
      return log.deliveries[0]?.state === 'delivered'
    })
    expect(ids()).toEqual([id])
  }, 300_000)
})

test('two servers on one database send each notification once', async () => {
  const database = await freshPostgres()
  const shared = {
    SVCD_DATABASE_URL: database.url,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
    SVCD_ALLOW_PRIVATE_TARGETS: '1',
  }
  const machines = [await Machine.make(shared), await Machine.make(shared)] as const
  const programs: Svcd[] = []
  onTestFinished(async () => {
    for (const svcd of programs) await svcd.stop('SIGKILL')
    for (const machine of machines) await machine.remove()
    await database.drop()
  })
  programs.push(await machines[0].start())
  for (const folder of ['git', 'packs'])
    await symlink(path.join(machines[0].dataDir, folder), path.join(machines[1].dataDir, folder))
  programs.push(await machines[1].start())
  const token = await machines[0].token('ada')
  const calls = programs.map(({ port }) => createClient({ baseUrl: `http://127.0.0.1:${port}`, token }))
  const { params, ids } = await addHook(calls[0]!)
  const sent = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      calls[index % 2]!('POST /projects/:name/notifications/:id/test', { params }),
    ),
  )
  await eventually(async () => {
    const log = await calls[1]!('GET /projects/:name/notifications/:id/deliveries', { params })
    return log.deliveries.every(({ state }) => state === 'delivered')
  })
  expect(ids().sort()).toEqual(sent.map(({ id }) => id).sort())
}, 300_000)
