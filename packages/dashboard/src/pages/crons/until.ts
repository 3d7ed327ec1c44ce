// The time until something comes, in words.
const steps = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const
const relative = new Intl.RelativeTimeFormat('en', { style: 'long', numeric: 'always' })

/** "within a minute", "in 5 minutes", "in 3 days" */
export function untilWords(iso: string, now: number): string {
  const left = Date.parse(iso) - now
  const step = steps.find(({ ms }) => left >= ms)
  return step ? relative.format(Math.round(left / step.ms), step.unit) : 'within a minute'
}
