// The time ranges that charts can show: the last hours, hour by hour, or the last days, day by day.
export type Range = { id: string; title: string; words: string } & ({ hours: number } | { days: number })

export const ranges: readonly Range[] = [
  { id: '24h', title: '24 hours', words: 'the last 24 hours', hours: 24 },
  { id: '72h', title: '3 days', words: 'the last 72 hours', hours: 72 },
  { id: '7d', title: '7 days', words: 'the last 7 days', days: 7 },
  { id: '30d', title: '30 days', words: 'the last 30 days', days: 30 },
  { id: '90d', title: '90 days', words: 'the last 90 days', days: 90 },
  { id: '365d', title: '12 months', words: 'the last 365 days', days: 365 },
]

/** The range that a page names in its URL, so that the URL can be kept and passed on. */
export const rangeIn = <R extends Range>(search: string, usual: R, among: readonly R[]): R =>
  among.find(({ id }) => id === new URLSearchParams(search).get('range')) ?? usual

/**
 * The URL of a page with this range and the rest of its query. `usual` is the range of the page without one in its URL.
 */
export function addressOf(path: string, search: string, range: Range, usual: Range): string {
  const params = new URLSearchParams(search)
  if (range === usual) params.delete('range')
  else params.set('range', range.id)
  return params.size === 0 ? path : `${path}?${params}`
}
