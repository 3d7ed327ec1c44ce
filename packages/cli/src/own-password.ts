// The password of the caller's account, which changes to how the account signs in ask for.
import { limits } from '@svc/contract/limits'
import { askSecretly } from './prompt.ts'
import { readStdin } from './stdin.ts'

/** A UTF-16 code unit has at most 3 bytes in UTF-8. */
const maxBytes = limits.accountPassword.max * 3

/** Typed without echo on a terminal, else all of stdin. */
export const readOwnPassword = (): Promise<string> =>
  process.stdin.isTTY
    ? askSecretly('Your password: ')
    : readStdin({ what: 'your password', maxBytes, tooLong: 'The password is too long.' })
