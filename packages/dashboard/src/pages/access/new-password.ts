// Passwords for sites: checked as the API does, or made up so that people can read them to each other.
import { limits } from '@svc/contract/limits'

const { min, max } = limits.sitePassword

export function problemOf(password: string): string | undefined {
  if (password.length < min) return `Use at least ${min} characters.`
  if (password.length > max) return `Use at most ${max} characters.`
  return undefined
}

/** Without letters and digits that look alike. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const groups = 4
const groupLength = 4

/** 79 random bits, such as `k3mp-x7qd-2vnw-hb9t`. */
export function makePassword(): string {
  const limit = 256 - (256 % letters.length)
  let text = ''
  while (text.length < groups * groupLength) {
    const [byte = limit] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < limit) text += letters[byte % letters.length]
  }
  return (text.match(/.{4}/g) ?? []).join('-')
}
