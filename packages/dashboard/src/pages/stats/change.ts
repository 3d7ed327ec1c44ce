// How much a number has changed since the period before.

interface Change {
  words: string
  direction: 'up' | 'down' | 'same'
}

/** Beyond this, a percentage says less than the two numbers. */
const mostPercent = 999

/** `undefined` if there is nothing to compare with. */
export function changeOf(value: number, before: number | undefined): Change | undefined {
  if (before === undefined || before === 0) return undefined
  const percent = Math.round((100 * (value - before)) / before)
  if (percent === 0) return { words: '±0%', direction: 'same' }
  if (percent > mostPercent) return { words: `>${mostPercent}%`, direction: 'up' }
  return percent > 0
    ? { words: `+${percent}%`, direction: 'up' }
    : { words: `−${-percent}%`, direction: 'down' }
}
