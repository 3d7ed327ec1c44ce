import { afterAll, beforeAll, expect, test } from 'vitest'
import { Secret } from '../../lib/secret.ts'
import { TestServer } from '../../testing/server.ts'
import { hashPassword } from '../identity/passwords.ts'
import type { PasswordGuard } from './guard.ts'
import { visitorsOf } from './visitors.ts'

let server: TestServer
let passwordHash: Secret
beforeAll(async () => {
  server = await TestServer.start()
  passwordHash = new Secret(await hashPassword('hunter22', 'tests'))
})
afterAll(() => server.remove())

const guardOf = (projectId: string): PasswordGuard => ({
  mode: 'password',
  projectId,
  project: projectId,
  generation: 1,
  passwordHash,
})

test('guessing at one site fills its own places and not those of the others', async () => {
  const visitors = visitorsOf(server.running.platform)
  const [one, two] = [guardOf('prj_one'), guardOf('prj_two')]
  const guesses = Array.from({ length: 12 }, (_, n) => visitors.tryPassword(one, 'wrong', `192.0.2.${n}`))
  const right = visitors.tryPassword(two, 'hunter22', '198.51.100.1')
  const outcomes = await Promise.allSettled(guesses)
  expect(outcomes.slice(0, 8)).toEqual(
    Array(8).fill({ status: 'fulfilled', value: expect.objectContaining({ right: false }) }),
  )
  expect(outcomes.slice(8)).toEqual(
    Array(4).fill({ status: 'rejected', reason: expect.objectContaining({ code: 'unavailable' }) }),
  )
  expect((await right).right).toBe(true)
  expect((await visitors.tryPassword(one, 'hunter22', '198.51.100.1')).right).toBe(true)
})

test('a site that lost its password is opened by none', async () => {
  const visitors = visitorsOf(server.running.platform)
  const guard = { ...guardOf('prj_three'), passwordHash: undefined }
  for (const password of ['', 'undefined', 'hunter22'])
    expect((await visitors.tryPassword(guard, password, '192.0.2.1')).right).toBe(false)
})

test('a visitor who is blocked causes no more writes', async () => {
  const visitors = visitorsOf(server.running.platform)
  const guard = guardOf('prj_four')
  const attempt = () => visitors.tryPassword(guard, 'wrong', '192.0.2.1')
  for (let n = 0; n < 10; n++) await attempt()
  for (let n = 0; n < 5; n++) await expect(attempt()).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  const counter = await server.running.platform.store.db
    .selectFrom('rate_limits')
    .select('count')
    .where('key', '=', 'unlock prj_four 192.0.2.1')
    .executeTakeFirstOrThrow()
  expect(counter.count).toBe(11)
})
