// Temporary shares: uploads that need no project and expire.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

export const shareEndpoints = {
  'POST /shares': {
    summary: 'Upload a temporary share; no project needed',
    access: 'user',
    rateLimits: ['writes'],
    audit: ['deployment.upload'],
    query: z.object({ ttl: s.wholeNumber(limits.shareDays).describe('Days until it expires, 1–30') }),
    rawBody: s.tarballTypes,
    status: 201,
    answer: s.createdShare,
    errors: ['suspended', 'invalid_archive', 'invalid_request', 'payload_too_large', 'quota_exceeded'],
    note: 'Optional headers: `X-Svc-Cli-Version`, `X-Svc-Git-Sha`, and `X-Svc-Git-Message` and `X-Svc-Git-Author`, percent-encoded, for the first line and the author of the commit.',
  },
  'GET /shares': {
    summary: 'Your unexpired shares',
    access: 'user',
    rateLimits: [],
    query: z.object(s.page),
    answer: z.object({ shares: z.array(s.share), next_cursor: s.nextCursor }),
  },
  'DELETE /shares/:name': {
    summary: 'Delete a share now',
    access: 'user',
    rateLimits: ['writes'],
    audit: [],
    answer: s.ok,
    errors: ['not_found'],
  },
} as const satisfies Endpoints
