import { expect, it } from 'vitest'
import type { Endpoints } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { describeRateLimit } from './rate-limits.ts'

const read = { summary: 'Reads', access: 'user', rateLimits: [], answer: 'text/plain' } as const
const change = { ...read, audit: [] } as const

it('a row that leaves out a fact does not compile', () => {
  const complete = {
    'GET /things': read,
    'POST /things': change,
    'GET /orgs/:name/things': { ...read, role: 'member' },
    'POST /projects/:name/things': { ...change, role: 'admin' },
  } satisfies Endpoints
  expect(Object.keys(complete)).toHaveLength(4)
  // @ts-expect-error: a change states its audit actions
  const withoutAudit: Endpoints = { 'POST /things': read }
  // @ts-expect-error: every row states its rate limits
  const withoutLimits: Endpoints = { 'GET /things': { summary: '', access: 'user', answer: 'text/plain' } }
  // @ts-expect-error: below an org every row states a role
  const withoutRole: Endpoints = { 'GET /orgs/:name/things': read }
  // @ts-expect-error: reading writes nothing to the audit log
  const auditedRead: Endpoints = { 'GET /things': { ...read, audit: ['org.update'] } }
  expect([withoutAudit, withoutLimits, withoutRole, auditedRead]).toHaveLength(4)
})

it('the roles stand below orgs and projects alone', () => {
  const withRole = Object.entries(endpoints).filter(([, row]) => 'role' in row)
  expect(withRole.filter(([key]) => !/^[A-Z]+ \/(orgs|projects)\/:name/.test(key))).toEqual([])
})

it('a change with a token counts against the changes of the account', () => {
  const uncounted = Object.entries(endpoints).filter(
    ([key, { access, rateLimits }]) =>
      !key.startsWith('GET ') && access !== 'none' && (rateLimits[0] as string | undefined) !== 'writes',
  )
  expect(uncounted.map(([key]) => key)).toEqual([])
})

it('a rate limit is described in words', () => {
  expect(describeRateLimit('userCode')).toBe('10 wrong codes per 10 minutes per account')
  expect(describeRateLimit('writes')).toBe('6,000 changes per 10 minutes per account')
  expect(describeRateLimit('vatNumbers')).toBe('30 VAT numbers per hour per account or org')
})
