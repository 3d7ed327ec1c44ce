// Passkeys: credentials of WebAuthn. The options and answers have the JSON form that browsers read and write.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { id, timestamp } from './basics.ts'

const base64url = (bytes: number) =>
  z
    .string()
    .max(Math.ceil((bytes * 4) / 3))
    .regex(/^[A-Za-z0-9_-]*$/, 'must be base64url')

const credentialId = base64url(1023)
const credential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
}
const descriptor = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()),
})

/** What `navigator.credentials.get` answers, as JSON. */
export const passkeyAssertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(4096),
    authenticatorData: base64url(4096),
    signature: base64url(4096),
    userHandle: base64url(64).nullish(),
  }),
})

/** What `navigator.credentials.create` answers, as JSON. */
export const newCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(4096),
    attestationObject: base64url(16384),
    transports: z.array(z.string().max(40)).max(10).optional(),
  }),
})

/** Options for `navigator.credentials.get`. */
export const passkeyRequest = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.number().int(),
  userVerification: z.literal('required'),
  allowCredentials: z.array(descriptor),
})

/** Options for `navigator.credentials.create`. */
export const passkeyCreation = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number() })),
  timeout: z.number().int(),
  attestation: z.literal('none'),
  excludeCredentials: z.array(descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
})

export const passkeyName = z.string().trim().min(1).max(limits.passkeyName)

export const passkey = z.object({
  id: id('psk'),
  name: z.string(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  domain: z.string().describe('The host of the dashboard that it was made for. It works nowhere else'),
  usable: z.boolean().describe('False if the dashboard has another host now'),
})

export type Passkey = z.infer<typeof passkey>
export type PasskeyAssertion = z.infer<typeof passkeyAssertion>
export type NewCredential = z.infer<typeof newCredential>
export type PasskeyRequest = z.infer<typeof passkeyRequest>
export type PasskeyCreation = z.infer<typeof passkeyCreation>
