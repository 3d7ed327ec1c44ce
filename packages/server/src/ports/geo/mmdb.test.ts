import { expect, test } from 'vitest'
import { bundledDatabase, mmdbGeoIp } from './mmdb.ts'

test('the bundled database knows the countries of public addresses, and none of private ones', async () => {
  const geo = mmdbGeoIp(bundledDatabase(), error => expect.fail(String(error)))
  expect(await geo.country('193.0.6.139')).toBe('NL')
  expect(await geo.country('2001:67c:2e8:22::c100:68b')).toBe('NL')
  expect(await geo.country('127.0.0.1')).toBeUndefined()
  expect(await geo.country('10.1.2.3')).toBeUndefined()
  expect(await geo.country('::1')).toBeUndefined()
  expect(await geo.country('nonsense')).toBeUndefined()
  geo.close()
  expect(await geo.country('193.0.6.139')).toBe('NL')
  geo.close()
})

test('an unreadable database is reported, and countries are unknown', async () => {
  const errors: unknown[] = []
  const geo = mmdbGeoIp('/nowhere/to/be.mmdb', error => errors.push(error))
  expect(await geo.country('193.0.6.139')).toBeUndefined()
  expect(errors).toHaveLength(1)
  geo.close()
})
