// The ways to sign in besides the password: an authenticator app and its recovery codes.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const factorEndpoints = {
  'POST /auth/signin/code': {
    summary: 'Complete a sign-in with a code of the authenticator app, or with a recovery code',
    access: 'none',
    rateLimits: ['signInCodes', 'totpCodes'],
    audit: ['account.recovery-code', 'account.codes-blocked'],
    note: 'A challenge works once, for 5 minutes, and until the password changes. Recovery codes work when `totpCodes` is used up, too.',
    body: z.object({ challenge: z.string().max(200), code: z.string().max(100) }),
    answer: s.signedIn,
    errors: ['unauthorized', 'forbidden'],
  },

  'GET /me/security': {
    summary: 'The ways to sign in to your account',
    access: 'user',
    rateLimits: [],
    answer: s.signInSecurity,
  },
  'GET /me/audit': {
    summary: 'Changes to the ways to sign in to your account, newest first',
    access: 'user',
    rateLimits: [],
    query: z.object(s.page),
    answer: z.object({ entries: z.array(s.auditEntry), next_cursor: s.nextCursor }),
  },
  'POST /me/totp': {
    summary: 'Begin to set up an authenticator app (TOTP, RFC 6238)',
    access: 'user',
    rateLimits: ['writes', 'passwordChecks'],
    audit: [],
    note: 'Nothing changes before `POST /me/totp/enable`, which must follow within 15 minutes.',
    body: z.object(s.confirmation),
    answer: z.object({
      secret: z.string().describe('Base32, to be typed into the app'),
      uri: z.string().describe('`otpauth://…`, to be shown as a QR code'),
    }),
    errors: ['forbidden'],
  },
  'POST /me/totp/enable': {
    summary: 'Turn the authenticator app on, with a code that it shows',
    access: 'user',
    rateLimits: ['writes', 'passwordChecks'],
    audit: ['account.totp-on'],
    note: 'From then on a sign-in with the password needs a code. Ends the other sessions of the dashboard.',
    body: z.object({ code: z.string().max(100) }),
    answer: s.recoveryCodes,
    errors: ['forbidden'],
  },
  'POST /me/totp/disable': {
    summary: 'Turn the authenticator app off, and delete the recovery codes',
    access: 'user',
    rateLimits: ['writes', 'passwordChecks'],
    audit: ['account.totp-off'],
    body: z.object(s.confirmation),
    answer: s.ok,
    errors: ['forbidden', 'not_found'],
  },
  'POST /me/recovery-codes': {
    summary: 'Create new recovery codes; the old ones stop working',
    access: 'user',
    rateLimits: ['writes', 'passwordChecks'],
    audit: ['account.recovery-codes'],
    body: z.object(s.confirmation),
    answer: s.recoveryCodes,
    errors: ['forbidden', 'not_found'],
  },
} as const satisfies Endpoints
