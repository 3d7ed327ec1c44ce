import type { LoggedRequest } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { type RequestList, withNewest, withOlder } from './request-list.ts'

const request = (second: number, id = `id${second}`): LoggedRequest => ({
  id,
  at: `2026-11-16T10:00:${String(second).padStart(2, '0')}.000Z`,
  method: 'GET',
  host: 'a.localhost',
  path: '/',
  status: 200,
  ms: 1,
  bytes: 1,
  cache: null,
  deployment_id: null,
  request_id: null,
  count: 1,
})
const list = (seconds: number[], cursor: string | null = null): RequestList => ({
  rows: seconds.map(second => request(second)),
  cursor,
})

describe('the list of requests', () => {
  it('is the newest page at first', () => {
    expect(withNewest(undefined, list([2, 1], 'c'))).toEqual(list([2, 1], 'c'))
  })

  it('takes new requests in the order of their times, and each once', () => {
    expect(withNewest(list([5, 1], 'c'), list([6, 5, 3]))).toEqual(list([6, 5, 3, 1], 'c'))
  })

  it('orders requests of the same moment by their ids', () => {
    const shown = { rows: [request(1, 'b')], cursor: null }
    const page = { rows: [request(1, 'c'), request(1, 'b'), request(1, 'a')], cursor: null }
    expect(withNewest(shown, page).rows.map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  })

  it('stays the same object if nothing is new, so that nothing is drawn', () => {
    const shown = list([2, 1])
    expect(withNewest(shown, list([2, 1], 'c'))).toBe(shown)
  })

  it('begins again if requests between the page and the list may be missing', () => {
    expect(withNewest(list([2, 1]), list([9, 8], 'c'))).toEqual(list([9, 8], 'c'))
    expect(withNewest(list([2, 1]), list([4, 3]))).toEqual(list([4, 3, 2, 1]))
  })

  it('takes older requests at its end', () => {
    expect(withOlder(list([5, 4], 'c'), list([4, 3]))).toEqual(list([5, 4, 3]))
  })
})
