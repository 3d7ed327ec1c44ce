import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesHeld } from '../testing/memory.ts'
import { createHosts } from './hosts.ts'

const hosts = createHosts('Example.test')
const production = { to: 'site', target: { project: 'shop', which: 'production' } }

describe('a Host header', () => {
  test.each([
    ['example.test', 'api'],
    ['example.test:8080', 'api'],
    ['EXAMPLE.test.', 'api'],
    ['api.example.test', 'api'],
    ['127.0.0.1', 'api'],
    ['127.0.0.1:8080', 'api'],
    ['[::1]', 'api'],
    ['[::1]:8080', 'api'],
    ['app.example.test', 'dashboard'],
    ['dashboard.example.test', 'dashboard-redirect'],
    ['ai.example.test', 'ai'],
    ['docs.example.test:80', 'docs'],
    ['Status.Example.Test', 'status'],
    ['www.example.test', 'unknown'],
    ['edge.example.test', 'unknown'],
    ['a.shop.example.test', 'unknown'],
    ['api.shop.example.test', 'unknown'],
    ['shopexample.test', 'domain'],
    ['.example.test', 'unknown'],
    ['example.test..', 'unknown'],
    ['other.org', 'domain'],
    ['', 'unknown'],
    [' ', 'unknown'],
    ['shop.example.test:port', 'unknown'],
    ['shop.example.test:80:80', 'unknown'],
    ['user@shop.example.test', 'unknown'],
    ['shop.example.test/path', 'unknown'],
    ['[shop.example.test]', 'unknown'],
    ['[::1', 'unknown'],
    ['::1', 'unknown'],
    ['constructor.example.test', 'site'],
    ['__proto__.example.test', 'unknown'],
    ['x'.repeat(400), 'unknown'],
    ['shop.example.test:65536', 'unknown'],
    ['shop<b>.example.test', 'unknown'],
    ['sh%6fp.example.test', 'unknown'],
    ['sh\u00f6p.example.test', 'unknown'],
  ])('%j leads to %s', (host, to) => {
    expect(hosts.find(host).to).toBe(to)
  })

  test.each(['shop.example.test', 'SHOP.example.test', 'shop.example.test:8080', 'shop.example.test.:8080'])(
    '%j leads to production',
    host => expect(hosts.find(host)).toEqual(production),
  )

  test('with a prefix leads to a branch or a deployment', () => {
    expect(hosts.find('main--shop.example.test')).toEqual({
      to: 'site',
      target: { project: 'shop', which: 'branch', slug: 'main' },
    })
    expect(hosts.find('dep-0123456789abcdef--shop.example.test')).toEqual({
      to: 'site',
      target: { project: 'shop', which: 'deployment', id: 'dep_0123456789abcdef' },
    })
  })

  test('is kept without the request that it is a part of', () => {
    const own = createHosts('example.test')
    const before = bytesHeld()
    for (let i = 0; i < 2_000; i++) {
      const request = Buffer.alloc(64 * 1024, `site-${i}.example.test `).toString('latin1')
      own.find(request.slice(0, `site-${i}.example.test`.length))
    }
    expect(bytesHeld() - before).toBeLessThan(32 * 1024 * 1024)
    expect(own.find('site-1.example.test')).toMatchObject({ to: 'site' })
  })

  test('with characters that no host has leads nowhere, and changes nothing for others', () => {
    const own = createHosts('example.test')
    expect(own.find('\uff53hop.example.test')).toEqual({ to: 'unknown' })
    expect(own.find('shop.example.test')).toEqual(production)
    expect(own.find('\uff53hop.example.test')).toEqual({ to: 'unknown' })
  })

  test('may be missing', () => {
    expect(hosts.find(undefined)).toEqual({ to: 'unknown' })
  })

  test('of any content has one lasting answer, and a site only under the domain', () => {
    const host = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[a-z0-9.:[\]-]{0,40}(\.example\.test)?(:\d{1,5})?$/),
    )
    fc.assert(
      fc.property(host, text => {
        const destination = hosts.find(text)
        expect(hosts.find(text)).toBe(destination)
        if (destination.to === 'site') expect(text.toLowerCase()).toContain('.example.test')
      }),
    )
  })
})
