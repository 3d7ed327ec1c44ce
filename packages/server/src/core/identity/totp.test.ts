import { describe, expect, it } from 'vitest'
import { codeAt, matchingStep, stepAt, toBase32, totpUri } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

describe('a code of an authenticator app', () => {
  // RFC 6238, appendix B, cut to six digits.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at second %i is %s', (seconds, code) => {
    expect(codeAt(secret, stepAt(seconds * 1000))).toBe(code)
  })

  // RFC 4226, appendix D.
  it.each([
    [0, '755224'],
    [1, '287082'],
    [9, '520489'],
  ])('of the counter %i is %s', (step, code) => {
    expect(codeAt(secret, step)).toBe(code)
  })

  it('is valid one step before and after its own, and not two', () => {
    const now = 1_234_567_890_000
    const step = stepAt(now)
    const valid = [-2, -1, 0, 1, 2].map(difference =>
      matchingStep(secret, codeAt(secret, step + difference), now),
    )
    expect(valid).toEqual([undefined, step - 1, step, step + 1, undefined])
  })

  it.each(['', '12345', '1234567', '28708２', '000000'])('is not %j', code => {
    expect(matchingStep(secret, code, 59_000)).toBeUndefined()
  })
})

describe('a secret of an authenticator app', () => {
  // RFC 4648, section 10, without padding.
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('%j is written as %j', (bytes, text) => {
    expect(toBase32(Buffer.from(bytes))).toBe(text)
  })

  it('is in the URI of the QR code, with the platform and the login', () => {
    expect(totpUri(secret, { issuer: 'svc (example.com)', login: 'ada' })).toBe(
      'otpauth://totp/svc%20(example.com):ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=svc%20(example.com)',
    )
  })
})
