import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { TestServer } from '../testing/server.ts'

it('the API says that the database is full, changes nothing, and goes on when there is room again', async () => {
  const server = await TestServer.start('sqlite', { SVCD_LOG_LEVEL: 'silent' })
  onTestFinished(() => server.remove())
  const { token } = await server.account()
  await server.request('/projects', { method: 'POST', token, body: { name: 'shop' } })
  const { db } = server.running.platform.store
  const allowPages = (count: number) => sql`pragma max_page_count = ${sql.lit(count)}`.execute(db)
  const value = 'v'.repeat(60_000)
  const setVariable = () =>
    server.request('/projects/shop/env/LARGE', { method: 'PUT', token, body: { value } })

  await allowPages(1)
  const refused = await setVariable()
  expect(refused).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } })
  expect(refused.json.error.message).toContain('no room left')
  expect((await server.request('/projects/shop/env', { token })).json.env).toEqual([])

  await allowPages(1_000_000)
  expect((await setVariable()).status).toBe(200)
})

it('GET /health is 503 while the database can be read but not written', async () => {
  const server = await TestServer.start('sqlite', { SVCD_LOG_LEVEL: 'silent' })
  onTestFinished(() => server.remove())
  const { db } = server.running.platform.store
  const health = async () => (await server.request('/health')).status
  expect(await health()).toBe(200)
  await sql`pragma query_only = on`.execute(db)
  expect(await health()).toBe(503)
  await sql`pragma query_only = off`.execute(db)
  expect(await health()).toBe(200)
})
