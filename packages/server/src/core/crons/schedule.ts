// Schedules of five fields, in UTC: minute, hour, day of the month, month, day of the week.
import { Cron } from 'croner'
import { Fault } from '../../lib/fault.ts'

/** As it is stored: the fields with single spaces between. Throws a Fault for what is none, or never comes. */
export function readSchedule(text: string, now: number): string {
  const schedule = text.trim().replace(/\s+/g, ' ')
  if (schedule.split(' ').length !== 5)
    throw invalid('must have five fields: minute, hour, day of the month, month, day of the week')
  let next: number | null
  try {
    next = nextRun(schedule, now)
  } catch (cause) {
    const why = (cause as Error).message.replace(/^CronPattern: /, '')
    throw invalid(`is not a cron expression: ${why.slice(0, 200)}`, cause)
  }
  if (next === null) throw invalid('never comes')
  return schedule
}

/** The start of the next minute that the schedule names, after that time. */
export function nextRun(schedule: string, after: number): number | null {
  const cron = new Cron(schedule, { mode: '5-part', timezone: 'UTC', paused: true })
  return cron.nextRun(new Date(after))?.getTime() ?? null
}

const invalid = (why: string, cause?: unknown): Fault =>
  new Fault('invalid_request', `schedule: ${why}`, { cause })
