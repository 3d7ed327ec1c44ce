import { expect, test } from 'vitest'
import type { Guard } from '../../core/access/guard.ts'
import { Secret } from '../../lib/secret.ts'
import { Passes } from './passes.ts'

const clock = { now: () => 1_800_000_000_000 }
const passesOf = (secure: boolean, key = 'key') => new Passes({ key: new Secret(key), secure, clock })
const guard: Guard = { mode: 'org', projectId: 'prj_1', project: 'shop', generation: 3 }
const password: Guard = { ...guard, mode: 'password', passwordHash: undefined }
const cookie = (header: string) => header.split(';')[0]

test('over HTTPS a pass is secure, and no neighbour below the domain can set it', () => {
  const header = passesOf(true).issue(guard, 'shop.test', { account: 'acc_1' })
  expect(header).toMatch(
    /^__Host-svc-visit=3\.1800043200\.acc_1\.[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  expect(passesOf(true).find(cookie(header), guard, 'shop.test')).toEqual({ account: 'acc_1' })
  expect(passesOf(true).find(cookie(header)?.replace('__Host-', ''), guard, 'shop.test')).toBeUndefined()
})

test('a pass is good for its project, host, mode, generation and key alone', () => {
  const passes = passesOf(false)
  const given = cookie(passes.issue(guard, 'shop.test', { account: 'acc_1' }))
  expect(passes.find(given, guard, 'shop.test')).toEqual({ account: 'acc_1' })
  expect(passes.find(given, { ...guard, projectId: 'prj_2' }, 'shop.test')).toBeUndefined()
  expect(passes.find(given, guard, 'beta--shop.test')).toBeUndefined()
  expect(passes.find(given, password, 'shop.test')).toBeUndefined()
  expect(passes.find(given, { ...guard, generation: 4 }, 'shop.test')).toBeUndefined()
  expect(passesOf(false, 'other').find(given, guard, 'shop.test')).toBeUndefined()
  expect(passes.find(undefined, guard, 'shop.test')).toBeUndefined()
})

test('a pass that a password opened names no account, and one of a member does', () => {
  const passes = passesOf(false)
  const opened = cookie(passes.issue(password, 'shop.test', { account: '' }))
  expect(passes.find(opened, password, 'shop.test')).toEqual({ account: '' })
  const nobody = cookie(passes.issue(guard, 'shop.test', { account: '' }))
  expect(passes.find(nobody, guard, 'shop.test')).toBeUndefined()
})
