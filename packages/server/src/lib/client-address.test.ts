import { expect, test } from 'vitest'
import { clientAddress, networkOf } from './client-address.ts'

const from = (remoteAddress: string, forwarded?: string) =>
  clientAddress(address => address.startsWith('10.'))({
    peer: { address: remoteAddress, secure: false },
    req: { headers: { ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) } },
  })

test("only a trusted proxy may report the client's address", () => {
  expect(from('192.0.2.1', '198.51.100.7')).toBe('192.0.2.1')
  expect(from('10.0.0.1', '198.51.100.7')).toBe('198.51.100.7')
  expect(from('::ffff:10.0.0.1', '203.0.113.5, 198.51.100.7, 10.0.0.2')).toBe('198.51.100.7')
  expect(from('10.0.0.1', 'nonsense')).toBe('10.0.0.1')
  expect(from('10.0.0.1')).toBe('10.0.0.1')
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::5:6', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:0201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['0000:0000:0000:0000:0000:ffff:c000:0201', '192.0.2.1'],
  ['2001:db8::192.0.2.1', '2001:db8:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network))
