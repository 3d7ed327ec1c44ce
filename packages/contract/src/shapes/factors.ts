// How an account signs in: password, authenticator app, recovery codes, passkeys.
import { z } from 'zod'
import { timestamp } from './basics.ts'
import { passkey, passkeyAssertion } from './passkeys.ts'

/** What the account must show once more before a way to sign in is added or removed. */
export const confirmation = {
  password: z.string().max(200).describe('The password of the account').optional(),
  passkey: passkeyAssertion
    .describe('In place of the password: the answer to `POST /me/passkeys/challenge`')
    .optional(),
}

/** The answer to a right password, if the account has a second factor. */
export const codeNeeded = z.object({
  challenge: z.string().describe('Send it to `POST /auth/signin/code` together with a code.'),
  expires_in: z.number().int().describe('Seconds'),
  passkey: z.boolean().describe('Whether the account has a passkey, which signs in without a code'),
})

export const recoveryCodes = z.object({
  recovery_codes: z.array(z.string()).describe('Each works once. Shown in this answer only'),
})

export const signInSecurity = z.object({
  password: z.boolean().describe('Whether the account has a password'),
  github: z.boolean().describe('Whether it is linked to a GitHub user, who can sign in, too'),
  github_login: z.string().nullable().describe('The login of that user at GitHub'),
  totp: z.object({ enabled_at: timestamp }).nullable().describe('Null while the authenticator app is off'),
  recovery_codes_left: z.number().int(),
  passkeys: z.array(passkey),
  pending_email: z.string().nullable().describe('The new email address, until it is confirmed'),
})

export type SignInSecurity = z.infer<typeof signInSecurity>
