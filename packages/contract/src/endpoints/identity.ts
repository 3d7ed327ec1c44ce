// Accounts, sign-in, device logins, tokens.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

const userCode = z.object({ user_code: z.string().min(1).max(20) })
const accountPassword = z.string().min(limits.accountPassword.min).max(limits.accountPassword.max)

export const identityEndpoints = {
  'GET /me': {
    summary: 'The account behind the token',
    access: 'user or deploy',
    rateLimits: [],
    answer: s.account,
  },
  'PUT /me/password': {
    summary: 'Change the password of the account',
    access: 'user',
    rateLimits: ['writes', 'passwordChecks'],
    audit: ['account.password'],
    note: 'Ends the other sessions of the dashboard. Other tokens stay, unless `revoke_tokens` is true.',
    body: z.object({
      current_password: z.string().max(200),
      new_password: accountPassword,
      revoke_tokens: z.boolean().optional(),
    }),
    answer: z.object({
      ok: z.literal(true),
      sessions_ended: z.number().int(),
      tokens_revoked: z.number().int(),
      device_secret: s.signedIn.shape.device_secret,
    }),
    errors: ['invalid_request', 'forbidden'],
  },
  'PUT /me/email': {
    summary: 'Change the email address of the account',
    access: 'user',
    rateLimits: ['writes', 'passwordChecks', 'mailToStranger', 'strangers'],
    audit: ['account.email'],
    note: 'Needs the password or a passkey. The new address gets an email with a link. The address changes when its owner opens the link within 24 hours and confirms. Without outbound email it changes at once.',
    body: z.object({ email: s.email, ...s.confirmation }),
    answer: z.object({
      email: z.string().nullable().describe('The present address'),
      pending_email: s.signInSecurity.shape.pending_email,
    }),
    errors: ['invalid_request', 'forbidden', 'unavailable'],
  },
  'POST /me/email/confirm': {
    summary: 'Confirm the new email address, with the token of the link',
    access: 'user',
    rateLimits: ['writes'],
    audit: ['account.email'],
    note: 'Only for the account that asked for the change. The former address gets a notice.',
    body: z.object({ token: z.string().max(200) }),
    answer: z.object({ email: s.email }),
    errors: ['not_found'],
  },

  'POST /auth/signup': {
    summary: 'Create an account of the built-in forge',
    access: 'none',
    rateLimits: ['signUp'],
    audit: ['member.join'],
    body: z.object({
      login: z.string(),
      password: accountPassword,
      email: s.email.nullish(),
      setup_token: z.string().max(200).optional(),
      invite_token: z.string().max(200).optional(),
    }),
    status: 201,
    answer: s.signedIn,
    errors: ['invalid_request', 'not_found', 'forbidden', 'name_taken'],
  },
  'POST /auth/signin': {
    summary: 'Sign in to the dashboard; gives a `cli` token',
    access: 'none',
    rateLimits: ['signIn'],
    audit: [],
    body: z.object({
      login: z.string().max(200),
      password: z.string().max(200),
      device_secret: z.string().max(200).optional(),
    }),
    answer: z.union([s.signedIn, s.codeNeeded]),
    note: 'If the account has an authenticator app, the answer is a `challenge` for `POST /auth/signin/code`, and no token. If the password is right but the account is disabled, the error is `forbidden`.',
    errors: ['unauthorized', 'forbidden'],
  },
  'POST /auth/signout': {
    summary: 'End a session of the dashboard; other tokens stay valid',
    access: 'user',
    rateLimits: ['writes'],
    audit: [],
    answer: s.ok,
  },

  'POST /auth/device': {
    summary: 'Start a device login',
    note: 'If the platform uses GitHub, the code is from GitHub, and the person enters it there. `forge` chooses between two git hosts.',
    access: 'none',
    rateLimits: ['deviceStart'],
    audit: [],
    body: z.object({
      forge: s.forge.optional(),
      setup_token: z.string().max(200).describe('For the first account, with GitHub').optional(),
      invite_token: z.string().max(200).describe('For a new account, with GitHub').optional(),
    }),
    answer: s.deviceLogin,
    errors: ['invalid_request', 'unavailable'],
  },
  'POST /auth/device/poll': {
    summary: 'Ask whether the device login was approved',
    access: 'none',
    rateLimits: ['devicePoll'],
    audit: ['member.join', 'account.github-link'],
    body: z.object({ device_code: z.string().max(200) }),
    answer: z.object({
      token: z.string().describe('Empty after `POST /github/link`, which creates no token'),
    }),
    errors: [
      'authorization_pending',
      'slow_down',
      'expired_token',
      'access_denied',
      'forbidden',
      'name_taken',
      'unavailable',
    ],
  },
  'GET /auth/device/:user_code': {
    summary: 'Where a device login came from, before it is approved',
    access: 'user',
    rateLimits: ['userCode'],
    answer: z.object({
      user_code: z.string(),
      created_at: s.timestamp,
      ip: z.string(),
      user_agent: z.string(),
    }),
    errors: ['not_found'],
  },
  'POST /auth/device/approve': {
    summary: 'Approve a device login as yourself',
    access: 'user',
    rateLimits: ['writes', 'userCode'],
    audit: [],
    body: userCode,
    answer: s.ok,
    errors: ['not_found'],
  },
  'POST /auth/device/deny': {
    summary: 'Deny a device login',
    access: 'user',
    rateLimits: ['writes', 'userCode'],
    audit: [],
    body: userCode,
    answer: s.ok,
    errors: ['not_found'],
  },
  'POST /github/link': {
    summary: 'Link your account to your GitHub user: starts a device login at GitHub',
    access: 'user',
    rateLimits: ['writes', 'githubLink', 'passwordChecks'],
    audit: [],
    body: z.object(s.confirmation),
    answer: s.deviceLogin,
    note: 'Needs the password or a passkey, because the GitHub user can sign in to your account afterwards. Poll `POST /auth/device/poll` as for a login. No token is created.',
    errors: ['forbidden', 'not_found', 'unavailable'],
  },

  'GET /tokens': {
    summary: 'Your tokens, newest first',
    access: 'user',
    rateLimits: [],
    query: z.object(s.page),
    answer: z.object({ tokens: z.array(s.ownToken), next_cursor: s.nextCursor }),
  },
  'POST /tokens': {
    summary: 'Create a token',
    access: 'user',
    rateLimits: ['writes', 'tokens'],
    audit: [],
    body: z.object({ kind: z.enum(['cli', 'ai']), ...s.newToken }),
    status: 201,
    answer: s.createdToken,
    note: 'A token with a `project` reaches `GET /me`, `GET /projects` and the endpoints of that project that a member may call, except connecting a repository and transferring the project. Everything else gives 403.',
    errors: ['invalid_request', 'not_found'],
  },
  'DELETE /tokens/:id': {
    summary: 'Revoke a token',
    access: 'user',
    rateLimits: ['writes'],
    audit: [],
    answer: s.ok,
    errors: ['not_found'],
  },
} as const satisfies Endpoints
