// Custom domains of a project, and their certificates.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const domainEndpoints = {
  'POST /projects/:name/domains': {
    summary: 'Attach a custom domain; a re-add retries TLS',
    note: 'A domain of another owner moves to this project if the DNS has the TXT record that the 409 names.',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['domain.attach', 'domain.retarget', 'domain.move'],
    body: z.object({ domain: z.string(), branch: z.string().min(1).max(255).nullish() }),
    status: 201,
    answer: s.attachedDomain,
    errors: ['invalid_domain', 'invalid_branch', 'domain_taken', 'quota_exceeded', 'not_found'],
  },
  'PUT /projects/:name/domains/:domain': {
    summary: 'Point a domain at a branch or at production, redirect it, or make it the primary one',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['domain.retarget', 'domain.redirect', 'domain.primary'],
    body: z
      .object({
        branch: z.string().min(1).max(255).nullable(),
        redirect_to: z.string().nullable(),
        primary: z.boolean(),
      })
      .partial(),
    answer: s.attachedDomain,
    errors: ['invalid_request', 'invalid_domain', 'invalid_branch', 'not_found'],
  },
  'DELETE /projects/:name/domains/:domain': {
    summary: 'Detach a domain',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['domain.detach'],
    answer: s.ok,
    errors: ['invalid_domain', 'not_found'],
  },
  'GET /projects/:name/domains/:domain/certificate': {
    summary: 'The certificate of the domain, read by a real TLS handshake',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: s.certificate,
    errors: ['invalid_domain', 'not_found'],
  },
  'POST /projects/:name/domains/:domain/certificate/refresh': {
    summary: 'Try to issue the certificate now',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['certificate.refresh'],
    answer: z.object({ ok: z.literal(true), domain: z.string(), tls_ready: z.boolean() }),
    errors: ['invalid_domain', 'not_found'],
  },
} as const satisfies Endpoints
