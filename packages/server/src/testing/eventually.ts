// Waits in a test for something that happens in the background.
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { TestRunner } from 'vitest'

const shortestPauseMs = 10
const longestPauseMs = 200
/** The time limit in hooks. They have 180 seconds. */
const limitMs = 150_000
/** `eventually` gives up this long before the test's own time limit, so that its error is shown. */
const reserveMs = 2_000

/**
 * Calls `look` until its value is right (by default: truthy), and returns that value. An error of `look` counts as a value
 * that is not right. Shortly before the test's own time limit it throws, and says what it saw last.
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  isRight: (value: T) => unknown = Boolean,
  deadline = deadlineOfTest(),
): Promise<T> {
  const begin = Date.now()
  for (;;) {
    const seen = await outcomeOf(look)
    if ('value' in seen && isRight(seen.value)) return seen.value
    if (Date.now() > deadline) throw inVain(look, isRight, seen)
    await sleep(pauseAfter(Date.now() - begin))
  }
}

/** A tenth of the time so far: what is quick is seen soon, and what is slow loses little processor time to the looks. */
const pauseAfter = (waitedMs: number): number =>
  Math.min(Math.max(waitedMs / 10, shortestPauseMs), longestPauseMs)

type Seen<T> = { value: T } | { error: unknown }

async function outcomeOf<T>(look: () => T | Promise<T>): Promise<Seen<T>> {
  try {
    return { value: await look() }
  } catch (error) {
    return { error }
  }
}

function deadlineOfTest(): number {
  const test = TestRunner.getCurrentTest()
  const start = test?.result?.startTime
  return test && start ? start + Math.max(test.timeout - reserveMs, test.timeout / 2) : Date.now() + limitMs
}

function inVain(look: unknown, isRight: unknown, seen: Seen<unknown>): Error {
  const waitedFor = isRight === Boolean ? look : `${look}\nto be ${isRight}`
  const last = 'error' in seen ? `the error ${inspect(seen.error)}` : inspect(seen.value, { depth: 5 })
  return new Error(`waited in vain for ${waitedFor}\nThe last look gave ${last}`, {
    cause: 'error' in seen ? seen.error : undefined,
  })
}
