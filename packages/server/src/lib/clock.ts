// Time as a dependency, so that expiry is tested without waiting.
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

export interface AlarmClock extends Clock {
  /** A signal that aborts after `ms` milliseconds. */
  timeout(ms: number): AbortSignal
}

export const systemClock: AlarmClock = { now: () => Date.now(), timeout: ms => AbortSignal.timeout(ms) }
