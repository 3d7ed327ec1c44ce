import type { ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { answer, startVies, viesError } from '../../testing/vies.ts'
import { RegistryUnavailable } from './port.ts'
import { viesRegistry } from './vies.ts'

const german = { prefix: 'DE', digits: '136695976' }

async function setUp(requester?: string) {
  const vies = await startVies('DE136695976')
  onTestFinished(() => vies.stop())
  const registry = viesRegistry({ url: vies.url, requester })
  const look = (number = german, signal = new AbortController().signal) => registry.lookUp(number, signal)
  return { vies, look }
}

it('the registry knows a number that is registered', async () => {
  const { vies, look } = await setUp()
  expect(await look()).toEqual({ known: true, consultation: null })
  expect(vies.asked).toEqual([{ countryCode: 'DE', vatNumber: '136695976' }])
})

it('the registry keeps the reference number of the check, which VIES gives if the requester is named', async () => {
  const { vies, look } = await setUp('NL123456789B01')
  expect(await look()).toEqual({ known: true, consultation: 'WAPI1' })
  expect(vies.asked).toMatchObject([{ requesterMemberStateCode: 'NL', requesterNumber: '123456789B01' }])
})

it('the registry does not know a number that is not registered', async () => {
  const { look } = await setUp()
  expect(await look({ prefix: 'DE', digits: '000000000' })).toEqual({ known: false })
})

it('the registry does not know a number that VIES calls malformed', async () => {
  const { vies, look } = await setUp()
  vies.behaviour = res => answer(res, 400, viesError('INVALID_INPUT'))
  expect(await look()).toEqual({ known: false })
})

it("the registry asks again without the seller's number if VIES refuses that number", async () => {
  const { vies, look } = await setUp('NL000000000B00')
  vies.behaviour = res => {
    vies.behaviour = undefined
    answer(res, 400, viesError('INVALID_REQUESTER_INFO'))
  }
  expect(await look()).toEqual({ known: true, consultation: null })
})

const failures: [string, (res: ServerResponse) => void][] = [
  ['a member state away', res => answer(res, 200, viesError('MS_UNAVAILABLE'))],
  ['a member state that is too busy', res => answer(res, 400, viesError('MS_MAX_CONCURRENT_REQ'))],
  ['too many requests', res => answer(res, 400, viesError('GLOBAL_MAX_CONCURRENT_REQ'))],
  ['a blocked address', res => answer(res, 200, { valid: false, userError: 'IP_BLOCKED' })],
  ['an error without a name', res => answer(res, 200, { actionSucceed: false })],
  ['status 500', res => answer(res, 500, { valid: false })],
  ['status 503 and a page', res => res.writeHead(503).end('<h1>Service Unavailable</h1>')],
  ['status 429', res => answer(res, 429, {})],
  ['no JSON', res => res.end('valid')],
  ['null', res => answer(res, 200, null)],
  ['a list', res => answer(res, 200, [])],
  ['neither valid nor invalid', res => answer(res, 200, { valid: 'true' })],
  ['another address', res => res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ['a broken connection', res => res.destroy()],
  ['an answer without end', res => void setInterval(() => res.write('x'.repeat(10_000)), 1).unref()],
]

it.each(failures)('the registry is unavailable when VIES answers with %s', async (_, behaviour) => {
  const { vies, look } = await setUp()
  vies.behaviour = behaviour
  await expect(look()).rejects.toThrow(RegistryUnavailable)
})

it('the registry is unavailable when VIES does not answer before the timeout', async () => {
  const { vies, look } = await setUp()
  const timeUp = new AbortController()
  vies.behaviour = () => timeUp.abort()
  await expect(look(german, timeUp.signal)).rejects.toThrow(RegistryUnavailable)
})

it('the registry is unavailable when no server listens', async () => {
  const { vies, look } = await setUp()
  await vies.stop()
  await expect(look()).rejects.toThrow(RegistryUnavailable)
})
