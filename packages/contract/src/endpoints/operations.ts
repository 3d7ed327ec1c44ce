// What operators watch: builds, jobs, the sweep, invoices, checks and certificates of the whole platform.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

const invoiceDays = {
  from: z.iso.date().optional().describe('The first UTC day'),
  to: z.iso.date().optional().describe('The last UTC day, included'),
}

export const operationEndpoints = {
  'GET /admin/builds': {
    summary: 'Builds of all projects that wait, run, or failed in the last 24 hours, newest first',
    access: 'platform admin',
    rateLimits: [],
    query: z.object(s.page),
    answer: z.object({ builds: z.array(s.adminBuild), next_cursor: s.nextCursor }),
  },
  'POST /admin/builds/:id/cancel': {
    summary: 'Cancel a queued or running build of any project',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: ['build.cancel'],
    answer: s.ok,
    errors: ['not_found', 'build_finished'],
  },
  'GET /admin/jobs': {
    summary: 'Background jobs that wait, run or failed, newest first',
    access: 'platform admin',
    rateLimits: [],
    query: z.object(s.page),
    answer: z.object({ jobs: z.array(s.adminJob), next_cursor: s.nextCursor }),
  },
  'POST /admin/jobs/:id/retry': {
    summary: 'Let a background job run now, also one that was given up',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: ['job.retry'],
    answer: s.adminJob,
    errors: ['not_found', 'run_under_way'],
  },
  'DELETE /admin/jobs/:id': {
    summary: 'Cancel a background job, or remove one that was given up',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: ['job.cancel'],
    note: 'Only if `can_cancel` of the job is true: what must happen, such as an invoice, cannot be cancelled while it still may succeed.',
    answer: s.ok,
    errors: ['not_found', 'run_under_way', 'invalid_request'],
  },
  'GET /admin/invoices': {
    summary: 'The invoices and credit notes of all accounts and orgs, also of deleted ones, newest first',
    access: 'platform admin',
    rateLimits: [],
    query: z.object({ ...s.page, ...invoiceDays }),
    answer: z.object({ invoices: z.array(s.adminInvoice), next_cursor: s.nextCursor }),
    errors: ['invalid_request'],
  },
  'GET /admin/invoices/export': {
    summary: 'The same as CSV, for the accounts',
    access: 'platform admin',
    rateLimits: [],
    query: z.object(invoiceDays),
    answer: 'text/csv',
    errors: ['invalid_request'],
  },
  'GET /admin/invoices/:id/pdf': {
    summary: 'URL of the PDF of any invoice',
    access: 'platform admin',
    rateLimits: [],
    answer: z.object({ url: z.string().describe('A signed URL that is valid for 10 minutes') }),
    errors: ['not_found'],
  },
  'GET /admin/sweep': {
    summary: 'How each step of the sweep, which deletes what has expired, went the last time',
    access: 'platform admin',
    rateLimits: [],
    note: 'The sweep runs every minute. A step that fails does not keep the others from running.',
    answer: z.object({ steps: z.array(s.adminSweepStep) }),
  },
  'GET /admin/checks': {
    summary: 'What the last checks of DNS, HTTPS, mail and other services found',
    access: 'platform admin',
    rateLimits: [],
    answer: z.object({ checks: z.array(s.adminCheck) }),
  },
  'POST /admin/checks': {
    summary: 'Check DNS, HTTPS, mail and other services now',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: [],
    note: 'Answers within 15 seconds. While a run is under way, a second request waits for the same results.',
    answer: z.object({ checks: z.array(s.adminCheck) }),
  },
  'GET /admin/certificates': {
    summary: 'The certificates of all custom domains, by name, and of the platform itself',
    access: 'platform admin',
    rateLimits: [],
    query: z.object({
      ...s.page,
      cursor: z.string().max(300).optional().describe('The `next_cursor` of the page before'),
    }),
    answer: z.object({ certificates: z.array(s.adminCertificate), next_cursor: s.nextCursor }),
  },
} as const satisfies Endpoints
