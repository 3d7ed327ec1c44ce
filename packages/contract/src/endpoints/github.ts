// GitHub: what an account can use there, and its webhook.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const githubEndpoints = {
  'GET /github': {
    summary: 'Installations at the git host that you can use',
    access: 'user',
    answer: z.object({
      installations: z.array(s.installation),
      install_url: z.string().nullable(),
      linked: z
        .boolean()
        .optional()
        .describe(
          'With GitHub: whether your account is linked to a user there. `POST /github/link` links it.',
        ),
    }),
    errors: ['unavailable'],
  },
  'GET /github/installations/:id/repositories': {
    summary: 'Repositories of an installation that you can connect, at most 100',
    access: 'user',
    query: z.object({ q: z.string().max(200).describe('Part of the name').default('') }),
    answer: z.object({ repositories: z.array(s.installationRepository) }),
    errors: ['not_found', 'unavailable'],
  },
  'POST /github/link': {
    summary: 'Link your account to your GitHub user: starts a device login at GitHub',
    access: 'user',
    answer: s.deviceLogin,
    note: 'Poll `POST /auth/device/poll`, as for a login, until it answers. It makes no token.',
    errors: ['not_found', 'rate_limit_exceeded', 'unavailable'],
    rateLimit: '10 per 10 minutes per account',
  },
  'POST /hooks/github': {
    summary: 'Webhook of GitHub; the signature is checked',
    access: 'none',
    rawBody: ['application/json'],
    typeByContent: true,
    answer: s.ok,
    errors: ['unauthorized', 'invalid_request', 'payload_too_large'],
  },
} as const satisfies Endpoints
