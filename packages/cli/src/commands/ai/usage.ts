// The AI gateway: its base URL, and what the account or an organization used of it.
import type { Answer, EndpointTable } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import { formatWhole } from '@svc/contract/whole-number'
import type { Run } from '../../command.ts'
import { bold, clean, dim, print, printJson, printTable } from '../../output.ts'
import { connect } from '../../session.ts'

type Usage = Sparse<Answer<EndpointTable['GET /usage/ai/days']>>

export const showAi: Run = async ({ options: { org, json } }) => {
  const call = connect()
  const usage =
    org === undefined
      ? await call('GET /usage/ai/days', { query: { days: '30' } })
      : await call('GET /orgs/:name/usage/ai/days', { params: { name: org }, query: { days: '30' } })
  if (json) return printJson(usage)
  printTable([
    ['Base URL', bold(clean(usage.base_url)), ''],
    ['This month', ...creditOf(usage)],
  ])
  print('')
  const models = byModel(usage)
  if (usage.is_set_up === false) print('The operator of this platform has set no AI provider.')
  else if (models.length === 0)
    print(
      `No requests in the last 30 days. Create a token with '${org ? `svc org token ${org} ai` : 'svc token ai'}'.`,
    )
  else {
    print(bold('Last 30 days'))
    printTable([[dim('model'), dim('requests'), dim('prompt'), dim('completion'), dim('cost')], ...models])
  }
}

function creditOf({ month }: Usage): [string, string] {
  const credit = month?.credit_cents
  return [
    bold(euros(month?.cost_micro_cents ?? 0)),
    typeof credit === 'number' ? dim(`of €${(credit / 100).toFixed(2)} credit`) : '',
  ]
}

/** The most expensive first, then the most used. */
function byModel({ rows }: Usage): string[][] {
  const sums = new Map<string, { requests: number; prompt: number; completion: number; cost: number }>()
  for (const row of rows ?? []) {
    const model = clean(row.model)
    const sum = sums.get(model) ?? { requests: 0, prompt: 0, completion: 0, cost: 0 }
    sum.requests += row.requests ?? 0
    sum.prompt += row.prompt_tokens ?? 0
    sum.completion += row.completion_tokens ?? 0
    sum.cost += row.cost_micro_cents ?? 0
    sums.set(model, sum)
  }
  return [...sums]
    .sort(([, a], [, b]) => b.cost - a.cost || b.requests - a.requests)
    .map(([model, { requests, prompt, completion, cost }]) => [
      model,
      ...[requests, prompt, completion].map(formatWhole),
      euros(cost),
    ])
}

/** Small amounts keep the digits that matter. */
function euros(microCents: number): string {
  const amount = microCents / 100_000_000
  return `€${amount === 0 || amount >= 0.01 ? amount.toFixed(2) : amount.toPrecision(2)}`
}
