// Forms and their submissions.
import { z } from 'zod'
import { id, timestamp } from './basics.ts'

export const form = z.object({
  name: z.string(),
  submissions: z.number().int().describe('Without those that were marked as spam'),
  unread: z.number().int(),
  spam: z.number().int().describe('Submissions that somebody marked as spam'),
  trapped: z
    .number()
    .int()
    .describe('How many times a bot filled in `_gotcha`. These submissions are dropped'),
  last_submission_at: timestamp.nullable(),
  notify: z.string(),
  notify_pending: z
    .array(z.string())
    .describe('Email addresses that have not confirmed yet and get no emails'),
  retention_days: z.number().int().nullable(),
  stored_bytes: z
    .number()
    .int()
    .describe('Size of its submissions, which counts against the form bytes of the plan'),
})

/** The answer to a change of a form's settings. */
export const changedForm = form.extend({
  sends_email: z.boolean().describe('False if the platform has no mail server, so that no emails are sent'),
})

export const submission = z.object({
  id: id('sub'),
  created_at: timestamp,
  fields: z.record(z.string(), z.unknown()),
  country: z.string().nullable(),
  referrer: z.string().nullable(),
  read: z.boolean().describe('Somebody has opened it. Members share this'),
  spam: z.boolean().describe('Somebody marked it as spam'),
})

export type Form = z.infer<typeof form>
export type Submission = z.infer<typeof submission>
