// A schedule in words: "Every 5 minutes, 09:00–17:59 UTC, Monday to Friday". The server decides whether it is valid.
import cronstrue from 'cronstrue'

/** The phrases of cronstrue that we word differently. */
const phrases: readonly [theirs: RegExp, ours: string][] = [
  [/,? between (\d\d:\d\d) and (\d\d:\d\d)/g, ', $1–$2'],
  [/, between day (\d+) and (\d+) of/g, ', on days $1 to $2 of'],
  [/ through /g, ' to '],
  [/, only (on|in) /g, ', $1 '],
  // With a day of the month and a day of the week, cron runs on either of them.
  [/, and on /g, ', or on '],
]

/** Undefined unless it has five fields that cronstrue can read. */
export function scheduleWords(schedule: string): string | undefined {
  const fields = schedule.trim().split(/\s+/)
  if (fields.length !== 5) return undefined
  try {
    const words = cronstrue.toString(fields.join(' '), { use24HourTimeFormat: true })
    return withTimeZone(phrases.reduce((text, [theirs, ours]) => text.replace(theirs, ours), words))
  } catch {
    // It is thrown for a schedule that is wrong or half typed. The server says what is wrong with it.
    return undefined
  }
}

/** Says UTC after the last time of day, or at the end where days or hours are named without a time. */
function withTimeZone(words: string): string {
  const end = [...words.matchAll(/\d\d:\d\d/g)].at(-1)
  if (!end) return words.includes(',') ? `${words} (UTC)` : words
  const place = end.index + end[0].length
  return `${words.slice(0, place)} UTC${words.slice(place)}`
}
