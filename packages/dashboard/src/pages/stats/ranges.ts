// The windows that the page can show: hours as they happen, or days as they were summed up.
export type Range = { id: string; title: string; words: string } & ({ hours: number } | { days: number })

export const ranges: readonly Range[] = [
  { id: '24h', title: '24 hours', words: 'the last 24 hours', hours: 24 },
  { id: '72h', title: '3 days', words: 'the last 72 hours', hours: 72 },
  { id: '7d', title: '7 days', words: 'the last 7 days', days: 7 },
  { id: '30d', title: '30 days', words: 'the last 30 days', days: 30 },
  { id: '90d', title: '90 days', words: 'the last 90 days', days: 90 },
  { id: '365d', title: '12 months', words: 'the last 365 days', days: 365 },
]

const usual = ranges[0] as Range

/** The one in the page's address, so that it can be kept and passed on. */
export const rangeIn = (search: string): Range =>
  ranges.find(({ id }) => id === new URLSearchParams(search).get('range')) ?? usual

export const addressOf = (path: string, range: Range): string =>
  range === usual ? path : `${path}?range=${range.id}`
