import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AiProvider, aiToken, openAi, providerKey, sendJson } from '../../testing/ai.ts'
import { eventually } from '../../testing/eventually.ts'
import { migratedPostgres } from '../../testing/postgres.ts'
import { onEveryServer, TestServer } from '../../testing/server.ts'

const ask = { model: 'dear', max_tokens: 10_000, messages: [{ role: 'user' as const, content: 'Hello' }] }

let provider: AiProvider
let dir: string
const environment: Record<string, string> = { SVCD_BILLING: 'sandbox', SVCD_AI_KEY: providerKey }
beforeAll(async () => {
  provider = await AiProvider.start()
  dir = await mkdtemp(path.join(tmpdir(), 'svc-ai-'))
  // A token of the answer is a hundredth of a cent: the credit of the free plan, EUR 5, is 50,000 of them.
  const prices = { date: '2026-01-01', prices: { dear: { input: 0, output: 100 } } }
  environment.SVCD_AI_PRICES_FILE = path.join(dir, 'prices.json')
  environment.SVCD_AI_UPSTREAM = provider.url
  await writeFile(environment.SVCD_AI_PRICES_FILE, JSON.stringify(prices))
})
afterAll(async () => {
  await provider.stop()
  await rm(dir, { recursive: true, force: true })
})

const taking = (completion_tokens: number) => ({ usage: { prompt_tokens: 1, completion_tokens } })

onEveryServer(server => {
  test('the credit of the plan is used up, and the refusal says the limit, what is used and the way out', async () => {
    const { id, token } = await server().account()
    const ai = openAi(server(), await aiToken(server(), id))
    provider.answers.set('dear', (_seen, res) => sendJson(res, 200, taking(49_999)))
    await ai.chat.completions.create(ask)
    await ai.chat.completions.create(ask)
    const refusal = ai.chat.completions.create(ask)
    await expect(refusal).rejects.toMatchObject({ status: 402, code: 'insufficient_quota' })
    await expect(refusal).rejects.toThrow(
      'The plan allows €5.00 of AI credit a month, and €10.00 are used. Wait until the next month begins (UTC), or change to a larger plan.',
    )
    // Listing the models is free.
    await ai.models.list()
    const { json } = await server().request('/usage/ai/days', { token })
    expect(json.month).toEqual({ cost_micro_cents: 999_980_000, credit_cents: 500 })
    expect((await server().request('/billing', { token })).json.usage.ai_credit_cents).toBe(1_000)
    server().clock.advance(31 * 86_400_000)
    await ai.chat.completions.create(ask)
  })

  test('requests at the same time do not pass together: each reserves what it may cost', async () => {
    const { id } = await server().account()
    const ai = openAi(server(), await aiToken(server(), id))
    const waiting: (() => void)[] = []
    let refused = 0
    provider.answers.set('dear', (_seen, res) => void waiting.push(() => sendJson(res, 200, taking(10_000))))
    const all = Array.from({ length: 20 }, () =>
      ai.chat.completions.create(ask).catch(error => {
        if (error instanceof OpenAI.APIError && error.status === 402) refused++
        else throw error
      }),
    )
    // Five of 10,000 tokens are the credit.
    await eventually(async () => waiting.length === 5 && refused === 15)
    for (const answer of waiting) answer()
    await Promise.all(all)
    expect(waiting.length).toBe(5)
  })

  test('a request for several answers reserves what all of them may cost', async () => {
    const { id } = await server().account()
    const ai = openAi(server(), await aiToken(server(), id))
    const waiting: (() => void)[] = []
    provider.answers.set('dear', (_seen, res) => void waiting.push(() => sendJson(res, 200, taking(1))))
    const five = ai.chat.completions.create({ ...ask, n: 5 })
    await eventually(async () => waiting.length === 1)
    // Nothing is used yet, and the refusal does not say so.
    await expect(ai.chat.completions.create(ask)).rejects.toMatchObject({
      ...{ status: 402, code: 'insufficient_quota' },
      message: expect.stringContaining(
        'The AI credit of this month is €5.00. €0.00 are used, and requests that are under way may cost €5.00. Try again when they are answered.',
      ),
    })
    waiting[0]!()
    await five
  })
}, environment)

test('requests at two nodes at the same time share the credit', async () => {
  const database = await migratedPostgres()
  const shared = {
    ...environment,
    SVCD_DATABASE_URL: database.url,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
  }
  const nodes = [await TestServer.start('sqlite', shared), await TestServer.start('sqlite', shared)]
  try {
    const { id } = await nodes[0]!.account()
    const token = await aiToken(nodes[0]!, id)
    const waiting: (() => void)[] = []
    let refused = 0
    provider.answers.set('dear', (_seen, res) => void waiting.push(() => sendJson(res, 200, taking(10_000))))
    const all = Array.from({ length: 20 }, (_, i) =>
      openAi(nodes[i % 2]!, token)
        .chat.completions.create(ask)
        .catch(error => {
          if (error instanceof OpenAI.APIError && error.status === 402) refused++
          else throw error
        }),
    )
    // Five of 10,000 tokens are the credit.
    await eventually(async () => waiting.length === 5 && refused === 15)
    for (const answer of waiting) answer()
    await Promise.all(all)
    for (const node of nodes)
      await expect(openAi(node, token).chat.completions.create(ask)).rejects.toMatchObject({ status: 402 })
    expect(waiting.length).toBe(5)
  } finally {
    for (const node of nodes) await node.remove()
    await database.drop()
  }
})

test('without billing there is no limit', async () => {
  const server = await TestServer.start('sqlite', { ...environment, SVCD_BILLING: 'off' })
  try {
    const { id, token } = await server.account()
    const ai = openAi(server, await aiToken(server, id))
    provider.answers.set('dear', (_seen, res) => sendJson(res, 200, taking(1_000_000)))
    for (let i = 0; i < 3; i++) await ai.chat.completions.create(ask)
    expect((await server.request('/usage/ai/days', { token })).json.month.credit_cents).toBeNull()
  } finally {
    await server.remove()
  }
})
