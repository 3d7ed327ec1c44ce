import { expect, it } from 'vitest'
import { filteredUrl, filtersIn, unfilteredUrl } from './filters.ts'

it('filters are read from the URL and written to it, beside the rest of the query', () => {
  const url = filteredUrl('/analytics', 'range=30d', 'page', '/a b&c')
  expect(url).toBe('/analytics?range=30d&page=%2Fa+b%26c')
  const search = url.split('?')[1] ?? ''
  expect(filtersIn(search)).toEqual({ page: '/a b&c' })
  expect(filteredUrl('/analytics', search, 'page', '/d')).toBe('/analytics?range=30d&page=%2Fd')
  expect(filteredUrl('/analytics', search, 'page')).toBe('/analytics?range=30d')
  expect(unfilteredUrl('/analytics', 'page=%2F&country=NL')).toBe('/analytics')
})
