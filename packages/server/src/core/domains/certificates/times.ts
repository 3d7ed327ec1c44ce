// When a certificate is looked at again: for its DNS, after a failure, for its renewal.
import { day, hour, minute, second } from '../../../lib/durations.ts'

/** A tenth of how long it has been waiting: soon while someone sets up the DNS, and seldom where nobody does. */
export function nextProofCheck(now: number, waitingSince: number): number {
  return now + clamp((now - waitingSince) / 10, 15 * second, hour)
}

/** Five minutes, and twice as long each time, up to a day; longer where the authority asks for it, within a week. */
export function nextTry(now: number, failures: number, retryAfter = 0): number {
  const ours = clamp(5 * minute * 2 ** (failures - 1), 5 * minute, day)
  return now + Math.max(ours, Math.min(retryAfter, 7 * day))
}

/**
 * At a third of its life left; a little earlier by name, so that those issued together are not renewed together. Never
 * at once, whatever the dates say: a clock that is wrong must not order one after the other.
 */
export function renewalOf(name: string, now: number, life: { from: number; to: number }): number {
  const length = life.to - life.from
  const renewal = life.to - length / 3 - (length / 100) * fractionOf(name)
  return Math.max(Math.floor(renewal), now + hour)
}

/** The same for a name, and spread over 0 to 1 for names. */
function fractionOf(name: string): number {
  let sum = 0
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)!) % 997
  return sum / 997
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)
