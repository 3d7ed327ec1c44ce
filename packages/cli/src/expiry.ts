// When a token expires, as `--expires` takes it.
import { hourMs } from '@svc/contract/durations'
import { Failure } from './failure.ts'

const hours: Record<string, number> = { h: 1, d: 24, w: 7 * 24, y: 365 * 24 }

/** Returns the field `expires_at` of the request, or no field if no time is given. */
export function expiry(text: string | undefined, now = Date.now()): { expires_at?: string } {
  if (text === undefined) return {}
  const [, amount, unit = ''] = /^(\d{1,6})([hdwy])$/.exec(text) ?? []
  const at = amount ? now + Number(amount) * hours[unit]! * hourMs : momentOf(text)
  if (at === undefined || !(at > now))
    throw new Failure('--expires takes a time from now such as 12h, 90d, 4w or 1y, or a date in the future.')
  return { expires_at: new Date(at).toISOString() }
}

/** Reads a day or an ISO timestamp. A timestamp without a zone is in UTC. */
function momentOf(text: string): number | undefined {
  const [, day, time = 'T00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d)?)?(Z|[+-]\d\d:\d\d)?$/i.exec(text) ?? []
  const at = Date.parse(`${day}${time}${zone}`)
  return Number.isNaN(at) ? undefined : at
}
