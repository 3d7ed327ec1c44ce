// A schedule in words: "at 09:00 on Monday to Friday (UTC)". Whether it is valid is the platform's to say.
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

type Name = (value: string) => string | undefined

const isNumber = (text: string) => /^\d+$/.test(text)
const two = (text: string) => text.padStart(2, '0')
const number: Name = value => (isNumber(value) ? String(Number(value)) : undefined)
const named =
  (names: readonly string[], first: number): Name =>
  value =>
    isNumber(value)
      ? names[Number(value) - first]
      : names.find(name => value.length === 3 && name.toUpperCase().startsWith(value.toUpperCase()))

/** Undefined while it has not five fields, or has something in it that there are no words for. */
export function explain(schedule: string): string | undefined {
  const fields = schedule.trim().split(/\s+/)
  if (fields.length !== 5) return undefined
  const [minute, hour, day, month, weekday] = fields as [string, string, string, string, string]
  const when = [timeOf(minute, hour), dayOf(day, weekday), monthOf(month)]
  if (when.includes(undefined)) return undefined
  return `${when.filter(Boolean).join(' ')} (UTC)`
}

function timeOf(minute: string, hour: string): string | undefined {
  const step = /^\*\/(\d+)$/
  if (minute === '*' && hour === '*') return 'every minute'
  if (hour === '*' && step.test(minute)) return `every ${step.exec(minute)?.[1]} minutes`
  if (hour === '*' && isNumber(minute)) return `every hour at minute ${Number(minute)}`
  if (isNumber(minute) && step.test(hour))
    return `every ${step.exec(hour)?.[1]} hours at minute ${Number(minute)}`
  if (isNumber(minute) && /^\d+(,\d+)*$/.test(hour))
    return `at ${join(hour.split(',').map(h => `${two(h)}:${two(minute)}`))}`
  const minutes = minute === '*' ? 'every minute' : list(minute, number, 'minute')
  const hours = hour === '*' ? 'every hour' : list(hour, number, 'hour')
  return minutes && hours && `at ${minutes} of ${hours}`
}

/** As in crontab, either day will do where both are given. */
function dayOf(day: string, weekday: string): string | undefined {
  const ofMonth = day === '*' ? '' : list(day, number, 'day')
  const ofWeek = weekday === '*' ? '' : list(weekday, named(days, 0), '')
  if (ofMonth === undefined || ofWeek === undefined) return undefined
  return [ofMonth && `on ${ofMonth} of the month`, ofWeek && `on ${ofWeek}`].filter(Boolean).join(' or ')
}

function monthOf(month: string): string | undefined {
  if (month === '*') return ''
  const words = list(month, named(months, 1), '')
  return words && `in ${words}`
}

/** Values, ranges and steps of one field. */
function list(field: string, name: Name, noun: string): string | undefined {
  const parts = field.split(',').map(part => {
    const [, from = '', to, every] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? []
    const begin = from === '*' ? '' : name(from)
    const end = to === undefined ? '' : name(to)
    if (begin === undefined || end === undefined || (from === '*' && every === undefined)) return undefined
    const range = begin && `${begin}${end && ` to ${end}`}`
    if (every === undefined) return range
    return `every ${every}. ${noun}${range && ` from ${range}`}`.trim()
  })
  if (parts.includes(undefined)) return undefined
  const words = join(parts as string[])
  return words.startsWith('every') || noun === '' ? words : `${noun} ${words}`
}

const join = (words: string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
