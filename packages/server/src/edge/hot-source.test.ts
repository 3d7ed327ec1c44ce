import { expect, test } from 'vitest'
import type { Access } from '../core/stats/access.ts'
import type { HotFile } from './hot-files.ts'
import { countHot } from './hot-source.ts'
import type { HotRequest } from './lanes/lanes.ts'

const nextProxy = '10.0.0.1'

/** Counts one answer with a hot file and returns its log entry and whether the fields of the request were read. */
function countOne(html: boolean, address: string) {
  const entries: Access[] = []
  const parts = {
    log: { isBusy: true, add: (entry: Access) => entries.push(entry) },
    clock: { now: () => 0 },
    isTrusted: (peer: string) => peer === nextProxy,
  }
  let isRead = false
  const request: HotRequest = {
    method: 'GET',
    target: '/',
    host: 'shop.example.test',
    acceptEncoding: undefined,
    get fields() {
      isRead = true
      return 'user-agent: Test\r\naccept: */*\r\n'
    },
  }
  const representation = {
    status: 200,
    size: 4,
    etag: '""',
    modified: 0,
    common: [],
    content: [],
    html,
  } as const
  const hot: HotFile = {
    weight: 4,
    representation,
    body: Buffer.from('body'),
    headers: [],
    unchangedHeaders: [],
    cache: 'HIT',
    projectId: 'prj_shop',
    deploymentId: 'dep_shop',
    path: '/',
    lastWhole: undefined,
    lastUnchanged: undefined,
  }
  countHot(parts, hot, request, { status: 200, bytes: 4 }, { address, secure: true })
  return { logged: entries[0]?.fields, isRead }
}

test('the fields of a request are read only for pages and from trusted proxies', () => {
  expect(countOne(false, '203.0.113.1')).toEqual({ logged: '', isRead: false })
  expect(countOne(true, '203.0.113.1')).toEqual({ logged: 'user-agent: Test\r\n', isRead: true })
  const all = 'user-agent: Test\r\naccept: */*\r\n'
  expect(countOne(false, nextProxy)).toEqual({ logged: all, isRead: true })
})
