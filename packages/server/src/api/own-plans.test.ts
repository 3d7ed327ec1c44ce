import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readCatalog } from '../core/base/catalog.ts'
import { buy, day, passTime } from '../testing/billing.ts'
import { refusal, send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

const builtIn = JSON.parse(readFileSync(new URL('../../plans.json', import.meta.url), 'utf8'))
const own = {
  plans: [
    { ...builtIn.plans[0], projects: 1 },
    { ...builtIn.plans[1], id: 'team', name: 'Team', price_cents: 1_234, projects: null },
  ],
}

async function startWithPlans(plans: object): Promise<TestServer> {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-plans-'))
  const file = path.join(dir, 'plans.json')
  writeFileSync(file, JSON.stringify(plans, null, 2))
  const server = await TestServer.start('sqlite', { SVCD_PLANS_FILE: file })
  onTestFinished(async () => {
    await server.remove()
    rmSync(dir, { recursive: true })
  })
  return server
}

it('an operator’s own plans bound what people use, are sold, and may have no limit', async () => {
  const server = await startWithPlans(own)
  const who = await server.account()
  const create = () => send(server, 'POST /projects', who, { name: freshName() })
  expect((await create()).status).toBe(201)
  const refused = await create()
  expect(refusal(refused)).toBe('402 quota_exceeded')
  expect(refused.json.error.message).toContain('The plan allows 1 projects, and 1 is used.')
  await buy(server, who, { plan: 'team' })
  expect((await create()).status).toBe(201)
  const { json } = await send(server, 'GET /billing', who)
  expect(json.plan).toMatchObject({ id: 'team', name: 'Team', price_cents: 1_234, projects: null })
  expect(json.catalog.map((plan: { id: string }) => plan.id)).toEqual(['free', 'team'])
})

it('a plan that the operator removes counts no more, and is not charged again', async () => {
  const server = await startWithPlans(own)
  const who = await server.account()
  await buy(server, who, { plan: 'team' })
  const { platform } = server.running
  const without = readCatalog(JSON.stringify({ plans: [own.plans[0]] }))
  Object.assign(platform, { catalog: without })
  expect((await send(server, 'GET /billing', who)).json.plan.id).toBe('free')
  await passTime(server, 31 * day)
  const { json } = await send(server, 'GET /billing', who)
  expect([json.subscription.status, json.invoices.length]).toEqual(['lapsed', 1])
})
