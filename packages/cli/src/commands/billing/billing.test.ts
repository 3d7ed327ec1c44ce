import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const GB = 1024 ** 3
const pro = {
  id: 'pro',
  name: 'Pro',
  price_cents: 2000,
  projects: 250,
  domains: 100,
  bandwidth_bytes: 1024 * GB,
  ai_credit_cents: 2000,
  orgs: null,
}
const billing = {
  provider: 'sandbox',
  plan: pro,
  usage: { projects: 3, domains: 1, bandwidth_bytes: 1.5 * GB, ai_credit_cents: 12, orgs: 2 },
  bandwidth_by_day: [],
  catalog: [pro, { ...pro, id: 'free', name: 'Free' }],
  subscription: { plan: 'pro', status: 'active', period_end: '2026-12-16T10:00:00.000Z', next_plan: null },
  profile: {},
  invoices: [],
}

async function run(args: string[], body: unknown, path = '/billing') {
  const api = await standIn({ [`GET ${path}`]: { body } })
  return await svc(['billing', ...args], { env: { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' } })
}

describe('svc billing', () => {
  it('shows the plan, when it renews, and what is used of it', async () => {
    const { code, stdout, stderr } = await run([], billing)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')).toEqual([
      'Plan    Pro         €20.00 a month plus VAT',
      'Renews  2026-12-16',
      '',
      'Usage',
      'Projects              3       of 250',
      'Custom domains        1       of 100',
      'Bandwidth this month  1.5 GB  of 1 TB',
      'AI credit this month  €0.12   of €20.00',
      'Organizations         2',
      '',
    ])
  })

  it('counts no more apps as kept ready than the plan keeps ready', async () => {
    const plan = { ...pro, ready_apps: 3 }
    const { stdout } = await run([], { ...billing, plan, usage: { ready_apps: 5 } })
    expect(stdout).toContain('Server apps kept ready  3  of 3\n')
  })

  it.each([
    [{ status: 'past_due', retry_at: '2026-12-17T00:00:00.000Z' }, 'charged again on 2026-12-17'],
    [{ status: 'cancelling' }, 'Ends  2026-12-16'],
    [{ status: 'lapsed' }, 'Ended  Pro, on 2026-12-16'],
    [{ next_plan: 'free' }, 'Changes  to Free on 2026-12-16'],
  ])('says how the plan goes on: %o', async (change, words) => {
    const { stdout } = await run([], { ...billing, subscription: { ...billing.subscription, ...change } })
    expect(stdout).toContain(words)
  })

  it('shows the plan of an organization with --org, and the answer as it is with --json', async () => {
    const { stdout } = await run(['--org', 'acme', '--json'], billing, '/orgs/acme/billing')
    expect(JSON.parse(stdout)).toEqual(billing)
  })

  it('lists the invoices with their amounts, and prints the URL of a PDF', async () => {
    const invoices = [
      {
        id: 'ivc_2',
        number: 'CN-2026-000001',
        kind: 'credit_note',
        credits: '2026-000001',
        total_cents: -2_420,
      },
      { id: 'ivc_1', number: '2026-000001', kind: 'invoice', credits: null, total_cents: 2_420 },
    ].map(invoice => ({ ...invoice, created_at: '2026-01-02T03:04:05.678Z' }))
    const { stdout } = await run(['invoices'], { ...billing, invoices })
    expect(stdout.split('\n').map(line => line.trim().split(/ {2,}/))).toEqual([
      ['CN-2026-000001', '2026-01-02', '-€24.20', 'ivc_2', 'credit note for 2026-000001'],
      ['2026-000001', '2026-01-02', '€24.20', 'ivc_1'],
      [''],
    ])
    expect((await run(['invoices'], billing)).stdout).toBe('No invoices yet. Each payment gets one.\n')
    const link = { url: 'https://api.example.com/invoices/x' }
    expect((await run(['pdf', 'ivc_1'], link, '/billing/invoices/ivc_1/pdf')).stdout).toBe(`${link.url}\n`)
  })

  it('passes on why there is no billing', async () => {
    const api = await standIn({
      'GET /billing': refusal('not_found', 'Billing is off on this instance.', 404),
    })
    const { code, stderr } = await svc(['billing'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect([code, stderr]).toEqual([1, 'svc: Billing is off on this instance. (not_found)\n'])
  })
})
