import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestServer } from '../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start('sqlite', { SVCD_ABUSE_CONTACT: 'abuse&reports@platform.test' })
})
afterAll(() => server?.remove())

const errorPage = async (accept: string) =>
  (await server.request('/', { host: 'nobody.localhost', headers: { accept } })).text

test('an error page says where to report abuse, where the operator has said so', async () => {
  expect(await errorPage('text/html')).toContain('<a href="mailto:abuse&#38;reports@platform.test"')
  expect(await errorPage('text/plain')).toContain('\nReport abuse: abuse&reports@platform.test\n')
  expect(JSON.parse(await errorPage('application/json'))).toHaveProperty('error.code', 'not_found')
})
