// Schedules of five fields, in UTC: minute, hour, day of the month, month, day of the week.
import { Cron } from 'croner'
import { Fault } from '../../lib/fault.ts'

const fields = [
  { name: 'minute', values: '0-59' },
  { name: 'hour', values: '0-23' },
  { name: 'day of the month', values: '1-31' },
  { name: 'month', values: '1-12 or JAN-DEC' },
  { name: 'day of the week', values: '0-7 or SUN-SAT' },
] as const

/** As it is stored: the fields with single spaces between. Throws a Fault if it is not a schedule, or if no date matches it. */
export function readSchedule(text: string, now: number): string {
  const given = text.trim().split(/\s+/)
  if (given.length !== fields.length)
    throw invalid(`must have five fields: ${fields.map(({ name }) => name).join(', ')}`)
  for (const [place, field] of given.entries()) checkField(field, place, now)
  const schedule = given.join(' ')
  if (nextRun(schedule, now) === null) throw invalid('never comes')
  return schedule
}

/** Each by itself, so that the message can name the one that is wrong. */
function checkField(field: string, place: number, now: number): void {
  try {
    nextRun(fields.map((_, i) => (i === place ? field : '*')).join(' '), now)
  } catch (cause) {
    const { name, values } = fields[place]!
    throw invalid(
      `'${field}' is no ${name}: use ${values}, with * for all, lists (1,2), ranges (1-5) and steps (*/2 or 1-9/2)`,
      cause,
    )
  }
}

/** The start of the next minute that the schedule names, after that time. */
export const nextRun = (schedule: string, after: number): number | null =>
  nextRuns(schedule, after, 1)[0] ?? null

/** Fewer than `count` if the schedule ends before. */
export function nextRuns(schedule: string, after: number, count: number): number[] {
  const cron = new Cron(schedule, { mode: '5-part', utcOffset: 0, paused: true })
  return cron.nextRuns(count, new Date(after)).map(time => time.getTime())
}

const invalid = (why: string, cause?: unknown): Fault =>
  new Fault('invalid_request', `schedule: ${why}`, { cause })
