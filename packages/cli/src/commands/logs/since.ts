// Reads the value of `--since`: an age, an ISO timestamp or unix seconds. The API takes unix seconds.
import { Failure } from '../../failure.ts'

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Unix seconds, with up to nine decimals. */
export function sinceSeconds(text: string, now = Date.now()): string {
  const [, amount, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (amount && unit) return Math.max(0, now / 1000 - Number(amount) * secondsOf[unit]!).toFixed(3)
  if (/^\d{1,12}(\.\d{1,9})?$/.test(text)) return text
  const seconds = isoSeconds(text)
  if (seconds === undefined)
    throw new Failure('--since takes an age such as 90s, 15m, 2h or 1d, an ISO timestamp, or unix seconds.')
  return seconds
}

/** Reads an ISO timestamp with up to nine decimals. Without a zone it is in UTC. */
function isoSeconds(text: string): string | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(
    text,
  )
  if (!parts) return undefined
  const [, day, time = '00:00', fraction = '', zone = 'Z'] = parts
  const ms = Date.parse(`${day}T${time}${zone}`)
  if (Number.isNaN(ms) || ms < 0) return undefined
  return fraction ? `${ms / 1000}.${fraction}` : `${ms / 1000}`
}

/** Converts the time of a line to unix seconds with all decimals. */
export const secondsOfStamp = (stamp: string): string => isoSeconds(stamp) ?? '0'
