import { describe, expect, it } from 'vitest'
import { may, mayRemove, mayUnshare } from './rights.ts'

const person = (login: string, role: 'member' | 'admin' | 'owner') => ({ login, role, joined_at: '' })

describe('what a role allows', () => {
  it('follows the table of routes', () => {
    expect(may('member', 'GET /orgs/:name')).toBe(true)
    expect(may('member', 'GET /orgs/:name/tokens')).toBe(false)
    expect(may('admin', 'GET /orgs/:name/tokens')).toBe(true)
    expect(may('admin', 'DELETE /orgs/:name')).toBe(false)
    expect(may('owner', 'DELETE /orgs/:name')).toBe(true)
    expect(may('member', 'DELETE /orgs/:name/members/:login')).toBe(true)
  })

  it('lets everyone leave, admins remove members and admins, and owners everyone', () => {
    expect(mayRemove('member', 'ada', person('ada', 'member'))).toBe(true)
    expect(mayRemove('member', 'ada', person('bob', 'member'))).toBe(false)
    expect(mayRemove('admin', 'ada', person('bob', 'admin'))).toBe(true)
    expect(mayRemove('admin', 'ada', person('bob', 'owner'))).toBe(false)
    expect(mayRemove('owner', 'ada', person('bob', 'owner'))).toBe(true)
  })

  it('lets the one who shared an installation take it back, and admins', () => {
    expect(mayUnshare('member', 'ada', 'ada')).toBe(true)
    expect(mayUnshare('member', 'ada', 'bob')).toBe(false)
    expect(mayUnshare('admin', 'ada', 'bob')).toBe(true)
  })
})
