// Parses dates in HTTP header fields (RFC 9110, 5.6.7): the current format, and the two obsolete ones that a recipient must
// still accept.

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'
const month = `(?<month>${months})`
const time = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'

/** Names of days and months are accepted in any case. */
const forms = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  `(?:mon|tue|wed|thu|fri|sat|sun), (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} gmt`,
  // Sunday, 06-Nov-94 08:49:37 GMT
  `(?:mon|tues|wednes|thurs|fri|satur|sun)day, (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} gmt`,
  // Sun Nov  6 08:49:37 1994
  `(?:mon|tue|wed|thu|fri|sat|sun) ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})`,
  // Linear: nothing repeats without a fixed count.
].map(form => new RegExp(`^${form}$`, 'i'))

/** In milliseconds since the epoch. `undefined` if the text is not a date. */
export function readHttpDate(text: string | undefined, now = Date.now()): number | undefined {
  if (text === undefined) return undefined
  for (const form of forms) {
    const parts = form.exec(text)?.groups
    if (parts !== undefined) return toTime(parts, now)
  }
  return undefined
}

function toTime(parts: Record<string, string>, now: number): number | undefined {
  const month = months.split('|').indexOf(parts.month!.toLowerCase())
  const [day, hour, minute, second] = [parts.day, parts.hour, parts.minute, parts.second].map(Number)
  const year = parts.year!.length === 4 ? Number(parts.year) : fullYear(Number(parts.year), now)
  // 60 is a leap second.
  if (hour! > 23 || minute! > 59 || second! > 60) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined
  return date.setUTCHours(hour!, minute, second)
}

/** A two-digit year that would be more than 50 years in the future is in the past (RFC 9110, 5.6.7). */
function fullYear(digits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + digits
  return year > thisYear + 50 ? year - 100 : year
}
