import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const row = { day: '2026-01-02', model: 'gpt-4o', requests: 1, prompt_tokens: 1_200, completion_tokens: 30 }
const usage = {
  base_url: 'https://ai.example.com/v1',
  is_set_up: true,
  from: '2025-12-04',
  to: '2026-01-02',
  rows: [
    { ...row, cost_micro_cents: 5_000 },
    { ...row, model: 'dear', cost_micro_cents: 200_000_000 },
    { ...row, cost_micro_cents: 5_000 },
  ],
  month: { cost_micro_cents: 200_010_000, credit_cents: 500 },
}

async function run(args: string[], body: unknown, path = '/usage/ai/days?days=30') {
  const api = await standIn({ [`GET ${path}`]: { body } })
  return await svc(['ai', ...args], { env: { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' } })
}

describe('svc ai', () => {
  it('shows the base URL, what this month cost, and the models of the last 30 days', async () => {
    const { code, stdout, stderr } = await run([], usage)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.split('\n').map(line => line.split(/ {2,}/))
    expect(lines).toEqual([
      ['Base URL', 'https://ai.example.com/v1'],
      ['This month', '€2.00', 'of €5.00 credit'],
      [''],
      ['Last 30 days'],
      ['model', 'requests', 'prompt', 'completion', 'cost'],
      ['dear', '1', '1,200', '30', '€2.00'],
      ['gpt-4o', '2', '2,400', '60', '€0.00010'],
      [''],
    ])
  })

  it('says how to begin', async () => {
    const path = '/orgs/acme/usage/ai/days?days=30'
    const { stdout } = await run(['--org', 'acme'], { ...usage, rows: [] }, path)
    expect(stdout).toContain("No requests in the last 30 days. Create a token with 'svc org token acme ai'.")
  })

  it('prints the answer as it is with --json', async () => {
    expect(JSON.parse((await run(['--json'], usage)).stdout)).toEqual(usage)
  })
})
