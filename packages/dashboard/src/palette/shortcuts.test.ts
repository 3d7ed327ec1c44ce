import { expect, it } from 'vitest'
import { destination, goTo, projectAt } from './shortcuts.ts'

it('a key after g leads to a page of the open project', () => {
  expect(destination('d', '/projects/shop/logs')).toBe('/projects/shop/deployments')
  expect(destination('o', '/projects/shop')).toBe('/projects/shop')
})

it('outside a project only the pages of the account are reached', () => {
  expect(destination('d', '/')).toBeUndefined()
  expect(destination('p', '/orgs/acme')).toBe('/')
  expect(destination('x', '/projects/shop')).toBeUndefined()
})

it('no two pages have the same key', () => {
  expect(new Set(goTo.map(({ key }) => key)).size).toBe(goTo.length)
})

it('the path names the open project', () => {
  expect(projectAt('/projects/shop/deployments/dep_1')).toBe('shop')
  expect(projectAt('/projects')).toBeUndefined()
})
