// The settings of the platform that operators change in the dashboard.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const operatorSettingEndpoints = {
  'GET /admin/settings': {
    summary: 'The settings that can be changed in the dashboard, and where their values come from',
    access: 'platform admin',
    rateLimits: [],
    note: 'No secret is ever answered. Settings of a machine, such as ports and files, are not among them.',
    answer: s.platformSettings,
  },
  'PATCH /admin/settings': {
    summary: 'Change settings of the platform: all of these, or none',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: ['setting.change'],
    note: 'They are stored sealed, for all nodes. Some take effect at once, others with a restart. A setting that the environment or the file sets cannot be changed here.',
    body: s.settingChanges,
    answer: s.platformSettings,
    errors: ['invalid_request'],
  },
  'POST /admin/settings/restart': {
    summary: 'Restart svcd on all nodes, without a failed request',
    access: 'platform admin',
    rateLimits: ['writes'],
    audit: ['platform.restart'],
    note: 'A new process takes over when it is healthy. If it cannot start, the present one goes on.',
    status: 202,
    answer: s.ok,
    errors: ['unavailable'],
  },
  'POST /admin/settings/github': {
    summary: 'Begin to create the GitHub App of the platform',
    access: 'platform admin',
    rateLimits: ['writes', 'githubLink'],
    audit: [],
    note: 'The browser sends `manifest` to `url` in a form. GitHub asks the operator, makes the App, and leads back to the dashboard with a code.',
    body: z.object({
      org: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,39}$/)
        .optional()
        .describe('The organization at GitHub that is to own the App'),
    }),
    answer: z.object({ url: z.string(), manifest: z.string() }),
    errors: ['invalid_request'],
  },
  'POST /admin/settings/github/finish': {
    summary: 'Store the keys of the GitHub App that GitHub has made',
    access: 'platform admin',
    rateLimits: ['writes', 'githubLink'],
    audit: ['setting.change'],
    note: 'They take effect with a restart. GitHub has no way to turn on the device flow of an App, with which people sign in: the operator does so on the page of the App.',
    body: z.object({ code: z.string().regex(/^[\w-]{1,200}$/), state: z.string().max(200) }),
    answer: z.object({ slug: z.string(), page: z.string().describe('The page of the App at GitHub') }),
    errors: ['invalid_request'],
  },
  'POST /admin/settings/test-mail': {
    summary: 'Send an email to yourself, with these changes',
    access: 'platform admin',
    rateLimits: ['writes', 'notificationTests'],
    audit: [],
    note: 'Nothing is stored.',
    body: s.settingChanges,
    answer: z.object({ to: z.string() }),
    errors: ['invalid_request'],
  },
} as const satisfies Endpoints
