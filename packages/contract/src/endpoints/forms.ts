// Forms of a project, their submissions, and who gets emails about them.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

const isNotify = (text: string) => text === 'on' || text === 'off' || s.isEmail(text)

export const formEndpoints = {
  'GET /projects/:name/forms': {
    summary: 'Forms that have received submissions',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({ forms: z.array(s.form) }),
    errors: ['not_found'],
  },
  'GET /projects/:name/forms/:form/submissions': {
    summary: 'Submissions, newest first; without spam unless it is asked for',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object({ show: z.enum(['all', 'unread', 'spam']).optional(), ...s.page }),
    answer: z.object({ submissions: z.array(s.submission), next_cursor: s.nextCursor }),
    errors: ['not_found'],
  },
  'GET /projects/:name/forms/:form/export': {
    summary: 'All submissions except spam, as CSV',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: 'text/csv',
    errors: ['not_found'],
  },
  'PATCH /projects/:name/forms/:form': {
    summary: 'Notification and retention of a form',
    access: 'user',
    role: 'member',
    rateLimits: ['writes', 'mailToStranger', 'strangers'],
    audit: ['form.update'],
    body: z.object({
      notify: z.string().max(limits.email).refine(isNotify, 'must be on, off or an email address').optional(),
      retention_days: z
        .number()
        .int()
        .min(limits.formRetentionDays.min)
        .max(limits.formRetentionDays.max)
        .nullable()
        .optional(),
    }),
    answer: s.changedForm,
    errors: ['invalid_request', 'not_found'],
    note: "An email address that is not the owner's own must confirm first. Until then it is in `notify_pending` and gets no other email.",
  },
  'GET /confirm/:token': {
    summary: 'The page where a person confirms that they want emails about a form',
    access: 'none',
    rateLimits: [],
    answer: 'text/html',
    errors: ['not_found'],
  },
  'POST /confirm/:token': {
    summary: 'Confirm on that page',
    access: 'none',
    rateLimits: [],
    audit: [],
    answer: 'text/html',
    errors: ['not_found'],
  },
  'POST /projects/:name/forms/:form/read': {
    summary: 'Mark all submissions of a form as read',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: [],
    answer: s.ok,
    errors: ['not_found'],
  },
  'PATCH /projects/:name/forms/:form/submissions/:id': {
    summary: 'Mark one submission as read or unread, as spam or not spam',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: [],
    body: z.object({ read: z.boolean().optional(), spam: z.boolean().optional() }),
    answer: s.submission,
    errors: ['invalid_request', 'not_found'],
  },
  'DELETE /projects/:name/forms/:form': {
    summary: 'Delete a form and its submissions',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['form.delete'],
    answer: s.ok,
    errors: ['not_found'],
  },
  'DELETE /projects/:name/forms/:form/submissions/:id': {
    summary: 'Delete one submission',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['submission.delete'],
    answer: s.ok,
    errors: ['not_found'],
  },
} as const satisfies Endpoints
