// The filters of the Analytics page. The page's URL holds them, so that it can be kept and passed on.
import { countryName } from './country-name.ts'

/** What page views can be filtered by, with the name of each. */
export const facets = {
  page: 'Page',
  referrer: 'Referrer',
  country: 'Country',
  browser: 'Browser',
  device: 'Device',
  system: 'Operating system',
} as const

export type Facet = keyof typeof facets
export type Filters = Partial<Record<Facet, string>>

const all = Object.keys(facets) as Facet[]

export function filtersIn(search: string): Filters {
  const params = new URLSearchParams(search)
  return Object.fromEntries(
    all.flatMap(facet => (params.has(facet) ? [[facet, params.get(facet) ?? '']] : [])),
  )
}

/** The URL of the page with this filter. Without a value: without the filter. */
export function filteredUrl(path: string, search: string, facet: Facet, value?: string): string {
  const params = new URLSearchParams(search)
  if (value === undefined) params.delete(facet)
  else params.set(facet, value)
  return params.size === 0 ? path : `${path}?${params}`
}

export function unfilteredUrl(path: string, search: string): string {
  const params = new URLSearchParams(search)
  for (const facet of all) params.delete(facet)
  return params.size === 0 ? path : `${path}?${params}`
}

export const valueWords = (facet: Facet, value: string): string =>
  facet === 'country' ? countryName(value) : value
