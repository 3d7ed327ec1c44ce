// The AI gateway from an empty page to the first costs, in the browser.
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

let provider: Server
const environment: Record<string, string> = {}
beforeAll(async () => {
  provider = createServer((req, res) => {
    req.resume().on('end', () => {
      const usage = { prompt_tokens: 1_000_000, completion_tokens: 100_000 }
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ usage }))
    })
  })
  await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve))
  environment.SVCD_AI_UPSTREAM = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
})
afterAll(() => void provider.close())

const dashboard = useDashboard(environment)

const ask = (token: string, model: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { port } = new URL(dashboard.platform.dashboardUrl)
    const headers = {
      host: 'ai.localhost',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    }
    const asked = { host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', headers }
    request(asked, res => res.resume().on('end', () => resolve(res.statusCode)))
      .on('error', reject)
      .end(JSON.stringify({ model, messages: [] }))
  })

it('the dashboard teaches the first request, and then shows what each model cost', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/account')
  await page.getByRole('link', { name: 'AI', exact: true }).click()
  await page.getByRole('heading', { name: 'No AI requests in the last 30 days' }).waitFor()
  await page.getByText(/^curl http:\/\/ai\.localhost:\d+\/v1\/chat\/completions/).waitFor()

  const { token } = await dashboard.platform.client(person.token)('POST /tokens', { body: { kind: 'ai' } })
  expect(await ask(token, 'gpt-4o')).toBe(200)
  expect(await ask(token, 'house-blend')).toBe(200)
  await page.reload()
  const models = page.getByRole('region', { name: 'Models' })
  // A million tokens of €2.50 and a tenth of a million of €10.
  await models.getByRole('row', { name: 'gpt-4o 1 1,000,000 100,000 €3.50' }).waitFor()
  await models.getByRole('row', { name: 'house-blend 1 1,000,000 100,000 No price' }).waitFor()
  await page.getByText('€3.50 of €5 credit this month').waitFor()
  await page.getByRole('img', { name: 'Cost per day' }).waitFor()
  await page.getByText(/^http:\/\/ai\.localhost:\d+\/v1$/).waitFor()
  await page.getByRole('link', { name: 'Create an AI token' }).waitFor()

  await page.getByLabel('Model', { exact: true }).selectOption('house-blend')
  await page.getByRole('link', { name: '7 days' }).click()
  await models.getByRole('row', { name: 'gpt-4o 1 1,000,000 100,000 €3.50' }).waitFor()
})

it('the dashboard shows an organization its own usage, also to members', async () => {
  const [owner, member] = [await dashboard.platform.person(), await dashboard.platform.person()]
  const call = dashboard.platform.client(owner.token)
  const link = await dashboard.platform.invite(owner, 'thinkers', 'member')
  await dashboard.platform.client(member.token)('POST /invites/:token/accept', {
    params: { token: link.split('/').at(-1) ?? '' },
  })
  const { token } = await call('POST /orgs/:name/tokens', {
    params: { name: 'thinkers' },
    body: { kind: 'ai' },
  })
  expect(await ask(token, 'gpt-4o')).toBe(200)
  const page = await dashboard.openAs(member, '/orgs/thinkers')
  await page.getByRole('link', { name: 'AI', exact: true }).click()
  await page.getByRole('row', { name: /^gpt-4o 1 / }).waitFor()
})
