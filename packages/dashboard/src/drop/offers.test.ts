import { expect, it } from 'vitest'
import { targetOfPath } from './offers.ts'

it.each([
  ['/', { kind: 'new' }],
  ['/account', { kind: 'new' }],
  ['/projects/shop', { kind: 'project', name: 'shop' }],
  ['/projects/shop/deployments/dep_1', { kind: 'project', name: 'shop' }],
  ['/orgs/acme/members', { kind: 'new', org: 'acme' }],
  ['/orgs/new', { kind: 'new' }],
  ['/orgs/new/projects', { kind: 'new', org: 'new' }],
  ['/shares', { kind: 'share', days: 7 }],
])('a drop on %s goes where the page is about', (path, target) => {
  expect(targetOfPath(path)).toEqual(target)
})
