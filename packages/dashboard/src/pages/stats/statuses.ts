// The classes of statuses, in words and colours.
import type { StatsSummary } from '@svc/contract'
import type { Share, Tone } from './share-bar.tsx'

type Status = StatsSummary['status']

const words: readonly [keyof Status, string, Tone][] = [
  ['2xx', '2xx, delivered', 'green'],
  ['3xx', '3xx, redirected or unchanged', 'blue'],
  ['4xx', '4xx, refused or missing', 'amber'],
  ['5xx', '5xx, failed', 'red'],
  ['other', 'Others', 'grey'],
]

export const statusShares = (status: Status): Share[] =>
  words.map(([key, name, tone]) => ({ name, tone, value: status[key] }))
