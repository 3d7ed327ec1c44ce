import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { domainName } from './names.ts'

const own = { domain: 'platform.test', dnsTarget: 'edge.network.example' }

describe('the name of a custom domain', () => {
  it.each([
    ['www.example.com', 'www.example.com'],
    ['Example.COM.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['a-b.c-d.example', 'a-b.c-d.example'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ])('%j is stored as %j', (input, stored) => {
    expect(domainName(input, own)).toBe(stored)
  })

  it.each([
    '',
    'localhost',
    'com',
    '1.2.3.4',
    '[::1]',
    '0x7f.1',
    'example.123',
    '-a.example.com',
    'a-.example.com',
    'a..example.com',
    '.example.com',
    'under_score.example.com',
    'exa mple.com',
    'http://example.com',
    'example.com/path',
    'example.com:443',
    'user@example.com',
    '*.example.com',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(127)}com`,
    `${'a.'.repeat(1000)}com`,
    'platform.test',
    'my-site.platform.test',
    'deep.my-site.PLATFORM.test.',
    'Edge.Network.example',
  ])('%j is refused', input => {
    expect(() => domainName(input, own)).toThrow(expect.objectContaining({ code: 'invalid_domain' }))
  })

  it('is always one that it would take again unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.string(), fc.webUrl()), input => {
        let name: string
        try {
          name = domainName(input, own)
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_domain' })
          return
        }
        expect(domainName(name, own)).toBe(name)
      }),
    )
  })
})
