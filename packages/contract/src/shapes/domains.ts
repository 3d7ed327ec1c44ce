// Custom domains and their certificates.
import { z } from 'zod'
import { id, timestamp } from './basics.ts'

/** If the platform asks for proof before it serves a domain (`SVCD_DOMAIN_PROOF=always`). */
const ownership = {
  verified: z
    .boolean()
    .optional()
    .describe('Whether the domain is served. Only if the platform always asks for proof'),
  proof: z
    .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
    .nullish()
    .describe('The DNS record that proves that the domain is yours; null when it is verified'),
}

export const domain = z.object({
  domain: z.string(),
  branch: z.string().nullable(),
  deployment_id: id('dep').nullable(),
  tls_ready: z.boolean(),
  dns_target: z.string(),
  created_at: timestamp,
  redirect_to: z.string().nullable().describe('The domain of the project that it redirects to with 308'),
  primary: z.boolean().describe("Whether its URL is shown as the project's own"),
  ...ownership,
})

export const attachedDomain = z.object({
  domain: z.string(),
  branch: z.string().nullable(),
  build_id: z.string().nullable(),
  tls_ready: z.boolean(),
  dns_target: z.string(),
  ...ownership,
})

/** What a domain still needs for its certificate. */
export const certificateDoctor = z.object({
  dns: z.object({
    points_here: z.boolean().describe('By its records alone.'),
    create: z
      .array(z.object({ type: z.enum(['CNAME', 'ALIAS', 'A', 'AAAA']), name: z.string(), value: z.string() }))
      .describe('The records to create, the best first. One kind is enough.'),
    found: z
      .object({ cname: z.array(z.string()), a: z.array(z.string()), aaaa: z.array(z.string()) })
      .describe('What the DNS says now.'),
  }),
  issuance: z.object({
    state: z
      .enum(['off', 'pending', 'issuing', 'valid', 'failed'])
      .describe('`off` if the platform issues no certificates.'),
    waiting_for: z.string().nullable(),
    last_error: z.string().nullable(),
    next_attempt_at: timestamp
      .nullable()
      .describe('When the platform checks again; of a valid certificate, its renewal.'),
    expires_at: timestamp.nullable().describe('Of the certificate that is stored.'),
  }),
})

export const certificate = z.object({
  domain: z.string(),
  reachable: z.boolean(),
  valid: z.boolean(),
  issuer: z.string().nullable(),
  subject: z.string().nullable(),
  valid_from: timestamp.nullable(),
  valid_to: timestamp.nullable(),
  days_remaining: z.number().int().nullable(),
  error: z.string().nullable(),
  ...certificateDoctor.shape,
})

export type Domain = z.infer<typeof domain>
export type Certificate = z.infer<typeof certificate>
export type CertificateDoctor = z.infer<typeof certificateDoctor>
