import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { check } from './check.ts'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'

/** One value or more for each way to break a rule: its type, its length, its bounds, its form, its choices. */
const intruders: unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  3651,
  1e300,
  Number.POSITIVE_INFINITY,
  '',
  'x',
  '-1',
  '999999',
  '1e3',
  '\0',
  '\ud800',
  'x'.repeat(100_000),
  [],
  [1],
  [null],
  ['x'.repeat(5000)],
  Array(101).fill('/'),
  {},
  { a: 1 },
]

const inputs = Object.entries(endpoints as Record<string, Endpoint>).flatMap(([key, { query, body }]) =>
  [query, body].flatMap(schema =>
    schema
      ? Object.entries(schema.shape).map(([field, rule]) => ({ key, field, rule: rule as z.ZodType }))
      : [],
  ),
)

const zodsWords = /invalid|expected|too (small|big)|received|unrecognized|input|>=|<=/i

describe('what is wrong with a request', () => {
  it('is worded by us for every field of every endpoint, and names the field', () => {
    const problems = new Map<string, { key: string; field: string }>()
    for (const { key, field, rule } of inputs)
      for (const value of intruders) {
        const checked = check(z.object({ [field]: rule }), { [field]: value })
        if (checked.ok) continue
        problems.set(checked.problem, { key, field })
      }
    for (const [problem, { key, field }] of problems) {
      const form = new RegExp(`^${field}(\\[\\d+\\]|\\.\\w+)*: (must |is missing; it must )[^\\n]{3,120}$`)
      expect(problem, `${key} ${field}`).toMatch(form)
      expect(problem, `${key} ${field}`).not.toMatch(zodsWords)
      expect(problem, `${key} ${field}`).not.toContain('of another form')
    }
    // A table that no longer finds the fields would pass everything.
    expect(problems.size).toBeGreaterThan(40)
  })

  const bodyOf = (key: keyof typeof endpoints): z.ZodType => (endpoints[key] as Endpoint).body as z.ZodType
  const queryOf = (key: keyof typeof endpoints): z.ZodType => (endpoints[key] as Endpoint).query as z.ZodType
  const form = bodyOf('PATCH /projects/:name/forms/:form')

  it.each([
    [form, { retention_days: 0 }, 'retention_days: must be a whole number from 1 to 3650, or null'],
    [form, { retention_days: 1.5 }, 'retention_days: must be a whole number from 1 to 3650, or null'],
    [form, { notify: 'x' }, 'notify: must be on, off or an email address'],
    [
      bodyOf('PUT /projects/:name/password'),
      { password: 'x' },
      'password: must be text of 4 to 128 characters',
    ],
    [
      bodyOf('PUT /projects/:name/password'),
      {},
      'password: is missing; it must be text of 4 to 128 characters',
    ],
    [bodyOf('PUT /projects/:name/access'), { mode: 'x' }, 'mode: must be public, password or org'],
    [bodyOf('POST /projects/:name/revalidate'), { paths: [] }, 'paths: must be a list of 1 to 100 items'],
    [
      bodyOf('POST /projects/:name/revalidate'),
      { paths: [1] },
      'paths[0]: must be text of at most 2048 characters',
    ],
    [bodyOf('POST /orgs/:name/invites'), { email: 'x' }, 'email: must be an email address'],
    [
      bodyOf('POST /orgs/:name/installations'),
      { installation_id: 'x' },
      'installation_id: must be a whole number',
    ],
    [bodyOf('PATCH /projects/:name/crons/:id'), { enabled: 1 }, 'enabled: must be true or false'],
    [
      bodyOf('PUT /billing/profile'),
      { country: 'NLD' },
      'country: must be text of at most 2 characters, or null',
    ],
    [queryOf('GET /projects/:name/logs'), { tail: '0' }, 'tail: must be a whole number from 1 to 5000'],
    [queryOf('GET /projects/:name/logs'), { timestamps: '2' }, 'timestamps: must be 0 or 1'],
    [form, null, 'The body must be a JSON object.'],
    [form, [], 'The body must be a JSON object.'],
    [form, 'text', 'The body must be a JSON object.'],
  ])('reads as a rule (%#)', (schema, value, problem) => {
    expect(check(schema, value)).toEqual({ ok: false, problem })
  })
})
