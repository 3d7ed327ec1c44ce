import type { Certificate } from '@svc/contract'
import { expect, test } from 'vitest'
import { isSettled, verdictOf } from './verdict.ts'

const certificate: Certificate = {
  domain: 'www.example.com',
  reachable: true,
  valid: true,
  issuer: 'Some Authority',
  subject: 'www.example.com',
  valid_from: '2026-01-01T00:00:00.000Z',
  valid_to: '2026-04-01T00:00:00.000Z',
  days_remaining: 60,
  error: null,
  dns: { points_here: true, create: [], found: { cname: [], a: [], aaaa: [] } },
  issuance: { state: 'valid', waiting_for: null, last_error: null, next_attempt_at: null, expires_at: null },
}
const invalid = (issuance: Partial<Certificate['issuance']>): Certificate => ({
  ...certificate,
  valid: false,
  error: 'nothing answers on port 443',
  dns: { ...certificate.dns, points_here: false },
  issuance: { ...certificate.issuance, ...issuance },
})

test('a valid certificate is all that there is to say, whoever issued it', () => {
  expect(verdictOf(certificate)).toEqual({
    word: 'Secure',
    tone: 'green',
    sentence: 'The certificate is good for another 60 days and renews itself.',
  })
  const foreign: Certificate = { ...certificate, issuance: { ...certificate.issuance, state: 'off' } }
  expect(verdictOf({ ...foreign, days_remaining: 1 })).toMatchObject({
    word: 'Secure',
    sentence: 'The certificate is good for another 1 day.',
  })
  expect(isSettled(certificate)).toBe(true)
})

test('a certificate whose DNS is right waits for something else', () => {
  const waiting_for = 'The budget is used up; it goes on by itself.'
  const waiting = { ...invalid({ state: 'pending', waiting_for }), dns: certificate.dns }
  expect(verdictOf(waiting)).toMatchObject({ word: 'Waiting', sentence: waiting_for })
})

test.each([
  [
    { state: 'pending', waiting_for: 'It has no DNS record yet.' },
    'Waiting for DNS',
    'It has no DNS record yet.',
  ],
  [{ state: 'failed', last_error: 'No valid IP addresses found' }, 'Failed', 'No valid IP addresses found'],
  [{ state: 'valid' }, 'Issued', 'Visitors do not see it yet: nothing answers on port 443.'],
] as const)('of %j it says %s', (issuance, word, sentence) => {
  expect(verdictOf(invalid(issuance))).toMatchObject({ word, sentence })
  expect(isSettled(invalid(issuance))).toBe(false)
})
