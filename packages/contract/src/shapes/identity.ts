// Accounts, tokens, device logins.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { id, timestamp } from './basics.ts'

export const account = z.object({
  id: id('acc'),
  gitforge_id: z.union([z.number(), z.string()]),
  gitforge_login: z.string(),
  email: z.string().nullable(),
  token_kind: z.enum(['cli', 'ai', 'deploy']),
  org: z.string().nullable(),
  created_at: timestamp,
  platform_admin: z.boolean().optional().describe('True if the token may use the operator area'),
  delete_at: timestamp.optional().describe('When the account will be deleted; left out if it stays'),
  delete_by: z
    .enum(['owner', 'operator'])
    .optional()
    .describe('Who asked for the deletion. If it was the operator, only the operator can keep the account'),
  project: z
    .string()
    .optional()
    .describe('The only project that the token reaches; left out if it reaches all'),
})

export const token = z.object({
  id: id('tok'),
  kind: z.enum(['cli', 'ai', 'deploy']),
  label: z.string(),
  project: z.string().nullable().describe('The only project that it reaches; null if it reaches all'),
  created_at: timestamp,
  last_used_at: timestamp.nullable().describe('Some minutes behind; null if never used'),
  expires_at: timestamp.nullable().describe('Null if it never expires'),
  revoked_at: timestamp.nullable(),
})

export const ownToken = token.extend({
  current: z.boolean().describe('It is the token that this request was made with'),
})

/** The fields of a new token besides its kind. */
export const newToken = {
  label: z.string().max(limits.tokenLabel).optional(),
  expires_at: z.iso.datetime({ offset: true }).nullish().describe('Null or absent: it never expires'),
  project: z
    .string()
    .max(100)
    .nullish()
    .describe('The only project that it reaches. Not for `ai` tokens. Null or absent: all projects'),
}

export const createdToken = token.extend({
  token: z.string().describe('The secret, shown in this answer only'),
})

/** The answer to a sign-in. */
export const signedIn = z.object({
  token: z.string(),
  device_secret: z
    .string()
    .describe('Send it with later sign-ins from this device, which then have their own rate limit.'),
})

export const deviceLogin = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z
    .string()
    .optional()
    .describe('The same page with the code filled in. The user still has to approve it there.'),
  expires_in: z.number().int(),
  interval: z.number().int(),
})

export type Account = z.infer<typeof account>
export type Token = z.infer<typeof token>
export type OwnToken = z.infer<typeof ownToken>
export type TokenKind = Token['kind']
