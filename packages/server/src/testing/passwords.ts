// The cost of hashing passwords in tests. No password of a test is a secret, so the least cost will do.
import { onTestFinished } from 'vitest'
import { passwordCost } from '../core/identity/password-cost.ts'

const real = passwordCost.N
const least = 2 ** 4

export function hashPasswordsCheaply(): void {
  passwordCost.N = least
}

/** For tests that need hashes to take their time. It holds until the test ends. */
export function hashPasswordsAtRealCost(): void {
  passwordCost.N = real
  onTestFinished(hashPasswordsCheaply)
}
