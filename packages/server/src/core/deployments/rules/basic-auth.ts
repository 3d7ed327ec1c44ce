// Netlify's `Basic-Auth: user:password user2:password2`: the users who may open the paths of a `_headers` rule.
import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest()

/** Digests of users with their passwords. Digests have the same length, so they can be compared in constant time. */
export class Credentials {
  readonly #digests: Buffer[] = []

  /** `user:password` */
  add(user: string): void {
    this.#digests.push(digest(user))
  }

  get isEmpty(): boolean {
    return this.#digests.length === 0
  }

  /** `given` is `user:password` as a client sends it. */
  accept(given: Buffer): boolean {
    const sought = digest(given)
    let isFound = false
    for (const known of this.#digests) isFound = timingSafeEqual(known, sought) || isFound
    return isFound
  }
}

/** The `user:password` of an Authorization header. `undefined` if it is of another kind, or malformed. */
export function readAuthorization(header: string | undefined): Buffer | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i.exec(header ?? '')?.[1]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64')
}

/** Whether a line of `_headers` sets a password, also if its name is misspelled: `Basic_Auth`, `Basic Auth`, no colon. */
export function isPasswordLine(words: string): boolean {
  if (/^basic-auth(?![\w-])/i.test(words)) return true
  const colon = words.indexOf(':')
  return (
    colon > 0 &&
    !words.startsWith('!') &&
    words
      .slice(0, colon)
      .replace(/[^a-z]/gi, '')
      .toLowerCase() === 'basicauth'
  )
}

/** The warning about a line that sets a password. */
export const isPasswordMisspelled = (words: string): boolean => !/^basic-auth\s*:/i.test(words)

/** Whether a part of the file that is not read may set a password. */
export const mentionsPassword = (text: string): boolean => /basic-auth/i.test(text)
