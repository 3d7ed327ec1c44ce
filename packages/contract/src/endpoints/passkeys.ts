// Passkeys (WebAuthn): sign-in without a password.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const passkeyEndpoints = {
  'POST /auth/passkey/options': {
    summary: 'Begin a sign-in with a passkey: options for `navigator.credentials.get`',
    access: 'none',
    rateLimits: ['passkeyOptions'],
    audit: [],
    answer: s.passkeyRequest,
  },
  'POST /auth/passkey': {
    summary: 'Continue with a passkey; gives a `cli` token',
    access: 'none',
    rateLimits: ['passkeySignIn'],
    audit: [],
    note: 'Needs neither the password nor a code, because a passkey asks for a fingerprint, a face or a PIN.',
    body: z.object({ credential: s.passkeyAssertion }),
    answer: s.signedIn,
    errors: ['unauthorized', 'forbidden'],
  },
  'POST /me/passkeys/challenge': {
    summary: 'Begin to confirm a change with a passkey of yours: options for `navigator.credentials.get`',
    access: 'user',
    rateLimits: ['writes', 'passkeyChallenges'],
    audit: [],
    note: 'Send the result as `passkey` where an endpoint takes `password` or `passkey`.',
    answer: s.passkeyRequest,
    errors: ['not_found'],
  },
  'POST /me/passkeys/options': {
    summary: 'Begin to add a passkey: options for `navigator.credentials.create`',
    access: 'user',
    rateLimits: ['writes', 'passwordChecks'],
    audit: [],
    body: z.object(s.confirmation),
    answer: s.passkeyCreation,
    errors: ['forbidden'],
  },
  'POST /me/passkeys': {
    summary: 'Add a passkey',
    access: 'user',
    rateLimits: ['writes', 'passkeyChallenges'],
    audit: ['account.passkey-add'],
    body: z.object({ name: s.passkeyName, credential: s.newCredential }),
    status: 201,
    answer: s.passkey,
    errors: ['forbidden', 'name_taken'],
  },
  'PATCH /me/passkeys/:id': {
    summary: 'Rename a passkey',
    access: 'user',
    rateLimits: ['writes'],
    audit: ['account.passkey-rename'],
    body: z.object({ name: s.passkeyName }),
    answer: s.passkey,
    errors: ['not_found'],
  },
  'POST /me/passkeys/:id/remove': {
    summary: 'Remove a passkey',
    access: 'user',
    rateLimits: ['writes', 'passwordChecks'],
    audit: ['account.passkey-remove'],
    body: z.object(s.confirmation),
    answer: s.ok,
    errors: ['forbidden', 'not_found'],
  },
} as const satisfies Endpoints
