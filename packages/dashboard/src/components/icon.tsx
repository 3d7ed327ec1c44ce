// The icons, drawn on a 16 px grid with one stroke width.
const paths = {
  arrowLeft: 'M13 8H3M7 4 3 8l4 4',
  arrowUpRight: 'M5 11 11 5M6 5h5v5',
  branch:
    'M5 5.5v5M5 5.5a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5ZM5 14a1.75 1.75 0 1 0 0-3.5A1.75 1.75 0 0 0 5 14ZM11 7a1.75 1.75 0 1 0 0-3.5A1.75 1.75 0 0 0 11 7ZM11 7v.5a2 2 0 0 1-2 2H6.5',
  cards: 'M2.5 2.5h4.5v4.5H2.5v-4.5ZM9 2.5h4.5v4.5H9v-4.5ZM2.5 9h4.5v4.5H2.5V9ZM9 9h4.5v4.5H9V9Z',
  card: 'M1.75 3.5h12.5v9H1.75v-9ZM1.75 6.500h12.500M4.250 10h2.500',
  check: 'm3.5 8.5 3 3 6-7',
  chevronDown: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  chevronUp: 'm4.5 9.500 3.500-3.500 3.500 3.500',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M6 5.5h6.5V13H6V5.5ZM3.5 10.5V3H10',
  alert: 'M8 5v3.5M8 11v.01M8 2 1.75 13h12.5L8 2Z',
  dot: 'M8 8h.01',
  download: 'M8 2.5v8M4.5 7 8 10.500 11.500 7M2.500 11v2.500h11V11',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  eyeOff:
    'M2.5 2.5l11 11M6.3 3.8A6.7 6.7 0 0 1 8 3.5C12 3.5 14.5 8 14.5 8a12 12 0 0 1-2 2.5M4 5.2A12 12 0 0 0 1.5 8S4 12.5 8 12.5c1 0 1.9-.3 2.7-.7',
  globe:
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c1.700 1.700 2.500 3.700 2.500 6S9.700 12.300 8 14C6.300 12.300 5.500 10.300 5.500 8S6.300 3.700 8 2Z',
  info: 'M8 7.5V11M8 5v.01M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z',
  link: 'M7 9.5a2.5 2.5 0 0 0 3.5 0l2.25-2.25a2.475 2.475 0 0 0-3.5-3.5L8 5M9 6.5a2.5 2.5 0 0 0-3.5 0L3.25 8.75a2.475 2.475 0 0 0 3.5 3.5L8 11',
  key: 'M10.25 9.5a3.75 3.75 0 1 0-3.64-2.85L2.5 10.75v2.75h2.75v-1.75H7V10l.86-.86a3.73 3.73 0 0 0 2.39.36ZM11 5v.01',
  lock: 'M3.500 7h9v6.500h-9V7ZM5.500 7V5a2.500 2.500 0 0 1 5 0v2',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z',
  pencil: 'm3 13 .6-2.9 7.3-7.3a1.2 1.2 0 0 1 1.7 0l.6.6a1.2 1.2 0 0 1 0 1.7L5.9 12.4 3 13ZM9.75 4 12 6.25',
  plus: 'M8 3v10M3 8h10',
  rollback: 'M3 6.5h6.5a3.25 3.25 0 0 1 0 6.5H6M3 6.5 5.75 3.75M3 6.5l2.75 2.75',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.300 10.300 13.500 13.500',
  rows: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  screen: 'M2 3h12v8H2V3ZM5.5 13.5h5M8 11v2.5',
  signOut: 'M6.5 13.5H3v-11h3.5M10 5l3 3-3 3M13 8H6.5',
  star: 'm8 2 1.85 3.75 4.15.6-3 2.92.7 4.13L8 11.45 4.3 13.4l.7-4.13-3-2.92 4.15-.6L8 2Z',
  sun: 'M8 10.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5ZM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  trash: 'M2.5 4.5h11M6 4.5V2.5h4v2M4 4.5l.6 9h6.8l.6-9M6.75 7v4M9.25 7v4',
  upload: 'M8 10.5v-8M4.5 6 8 2.5 11.5 6M2.5 11v2.5h11V11',
  users:
    'M6 7.5A2.25 2.25 0 1 0 6 3a2.25 2.25 0 0 0 0 4.5ZM1.75 13a4.3 4.3 0 0 1 8.5 0M10.5 3.2a2.25 2.25 0 0 1 0 4.1M12 9.3a4.3 4.3 0 0 1 2.25 3.7',
  user: 'M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8ZM2.75 13.5a5.3 5.3 0 0 1 10.5 0',
} as const

export type IconName = keyof typeof paths

/** An icon beside words; it says nothing to a screen reader. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth={name === 'dot' ? 5 : 1.35}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
