import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { usePebble } from '../testing/pebble.ts'
import { RenewingAuthority } from '../testing/renewing-authority.ts'
import { TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

const day = 86_400_000

const pebble = usePebble()
let authority: RenewingAuthority
let server: TestServer
let token: string
let site: string
beforeAll(async () => {
  authority = await RenewingAuthority.start(pebble())
  server = await TestServer.start('sqlite', {
    SVCD_PLATFORM_DOMAIN: 'platform.test',
    ...pebble().environment(),
    ...authority.environment(),
  })
  pebble().gateway.targets = [server.running.port]
  token = (await server.account()).token
  site = await deploySite(server, token, { 'index.html': 'hello' })
})
afterAll(async () => {
  await server?.remove()
  await authority?.stop()
})

const attach = async () => {
  const domain = `www.d${randomBytes(5).toString('hex')}.example`
  await server.request(`/projects/${site}/domains`, { method: 'POST', token, body: { domain } })
  await issued(domain, 1)
  return domain
}
const ordersOf = (domain: string) => authority.orders.filter(({ names }) => names.includes(domain))
const certificatesOf = (domain: string) =>
  [...authority.issued].filter(([, { names }]) => names.includes(domain)).map(([id]) => id)
const rowOf = (domain: string) =>
  server.running.platform.store.db
    .selectFrom('certificates')
    .selectAll()
    .where('name', '=', domain)
    .executeTakeFirstOrThrow()
const issued = (domain: string, count: number) =>
  eventually(async () => certificatesOf(domain).length === count && (await rowOf(domain)).state === 'valid')
const renew = async (domain: string) => {
  const { next_at } = await rowOf(domain)
  server.clock.advance(next_at - server.clock.now() + day)
}

it('the order of a renewal names the certificate that it replaces, and a first order names none', async () => {
  const domain = await attach()
  await renew(domain)
  await issued(domain, 2)
  await renew(domain)
  await issued(domain, 3)
  const [first, second] = certificatesOf(domain)
  expect(ordersOf(domain)).toEqual([
    { names: [domain], replaces: undefined, refused: undefined },
    { names: [domain], replaces: first, refused: undefined },
    { names: [domain], replaces: second, refused: undefined },
  ])
})

it('a certificate that another order has replaced already is renewed without naming it', async () => {
  const domain = await attach()
  const [first] = certificatesOf(domain)
  authority.issued.get(first!)!.isReplaced = true
  await renew(domain)
  await issued(domain, 2)
  expect(ordersOf(domain).slice(1)).toEqual([
    { names: [domain], replaces: first, refused: 'alreadyReplaced' },
    { names: [domain], replaces: undefined, refused: undefined },
  ])
  expect((await rowOf(domain)).error).toBeNull()
})
