import { expect, it } from 'vitest'
import { addressLookup } from './addresses.ts'

const silent = { records: () => new Promise<never>(() => undefined), txt: async () => [] }

it('the resolver finds names in the hosts file of the system', async () => {
  const found = await addressLookup(silent, false)('localhost')
  expect(found.every(address => ['127.0.0.1', '::1'].includes(address))).toBe(true)
  expect(found).not.toEqual([])
})

it('the resolver asks only the configured servers, and rejects if none of them answers', async () => {
  const refusing = {
    records: async () => {
      throw Object.assign(new Error('queryA ETIMEOUT'), { code: 'ETIMEOUT' })
    },
    txt: async () => [],
  }
  await expect(addressLookup(refusing, true)('localhost')).rejects.toThrow(
    'no DNS server answers for localhost',
  )
})

it('the resolver asks the system for one name at a time, and the servers for the others', async () => {
  const records = async () => ({ cname: [], a: ['192.0.2.1'], aaaa: [] })
  const find = addressLookup({ records, txt: async () => [] }, false)
  const [first, second] = await Promise.all([find('localhost'), find('localhost')])
  expect(first).not.toContain('192.0.2.1')
  expect(second).toEqual(['192.0.2.1'])
})

it('the resolver finds names of the hosts file also in many lookups at once', async () => {
  const records = async () => ({ cname: [], a: [], aaaa: [] })
  const find = addressLookup({ records, txt: async () => [] }, false)
  const found = await Promise.all(Array.from({ length: 10 }, () => find('localhost')))
  for (const addresses of found) expect(addresses).not.toEqual([])
})
