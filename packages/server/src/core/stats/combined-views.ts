// What is known of a pageview, written as one name. Pageviews with equal values share the name, so they can be counted together
// and still be filtered by each value.

/** In the order in which the name has them. */
export const facets = ['page', 'referrer', 'country', 'browser', 'device', 'system'] as const

export type Facet = (typeof facets)[number]
/** The referrer is empty if the visitor came from no other site. */
export type View = Record<Facet, string>

/** No value contains it: it is not allowed in the request line, in a hostname, and in the names of agents.ts. */
const separator = '\t'

export const combine = (view: View): string => facets.map(facet => view[facet]).join(separator)

export function separate(name: string): View {
  const values = name.split(separator)
  return Object.fromEntries(facets.map((facet, i) => [facet, values[i] ?? ''])) as View
}
