// Times in nanoseconds: a clock, and the format of RFC 3339.
import type { Clock } from './clock.ts'

export type NanoClock = () => bigint

const perMs = 1_000_000n
const perSecond = 1_000_000_000n

/** The time of a millisecond clock plus the time since it last changed, so that calls within a millisecond differ. */
export function nanoClock(clock: Clock): NanoClock {
  let ms = Number.NaN
  let began = 0n
  return () => {
    const now = clock.now()
    const tick = process.hrtime.bigint()
    if (now !== ms) {
      ms = now
      began = tick
    }
    const within = tick - began
    return nanosOfMs(now) + (within < perMs ? within : perMs - 1n)
  }
}

export const nanosOfMs = (ms: number): bigint => BigInt(Math.trunc(ms)) * perMs

/** `2026-11-15T10:40:53.123456789Z` */
export function rfc3339(nanos: bigint): string {
  const second = new Date(Number(nanos / perSecond) * 1000).toISOString().slice(0, 19)
  return `${second}.${String(nanos % perSecond).padStart(9, '0')}Z`
}

/** Parses Unix seconds with up to nine decimals, such as `1763203253.123456789`, without rounding. */
export function nanosOfUnixSeconds(text: string): bigint {
  const [seconds = '0', fraction = ''] = text.split('.')
  return BigInt(seconds) * perSecond + BigInt(fraction.padEnd(9, '0').slice(0, 9))
}

/** `1763203253.123456789` */
export const unixSecondsOf = (nanos: bigint): string =>
  `${nanos / perSecond}.${String(nanos % perSecond).padStart(9, '0')}`
