// The disk of a project.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const diskEndpoints = {
  'GET /projects/:name/disk': {
    summary: 'The disk of the server app, and what it holds',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({
      disk: s.disk.nullable(),
      removed_until: s.timestamp
        .nullable()
        .describe('A disk that was removed comes back, with its files, if one is added before this time'),
      previews: z.array(s.previewDisk).describe('Those of branches'),
    }),
    errors: ['not_found'],
  },
  'PUT /projects/:name/disk': {
    summary: 'Add a disk, or change its size or its path',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['disk.set'],
    body: z.object({
      size_bytes: s.diskSize.optional().describe('Without it: 1 GB, or as it is'),
      path: s.diskPath.optional().describe('Without it: /data, or as it is'),
      shared: z
        .boolean()
        .optional()
        .describe('Whether the app can have two instances on it at a time. Without it: false, or as it is'),
    }),
    answer: z.object({
      disk: s.disk,
      was_kept: z.boolean().describe('True: it holds what was there when it was removed'),
      warnings: z.array(z.string()),
      restarting: s.restarting,
    }),
    errors: ['invalid_request', 'not_found', 'quota_exceeded'],
    note: 'With a disk that is not shared, one instance runs at a time: at a deploy, requests wait while the old instance ends and the new one starts.',
  },
  'PATCH /projects/:name/disk': {
    summary: 'Say what the disks of new previews begin with',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['disk.previews'],
    body: z.object({ preview_data: s.disk.shape.preview_data }),
    answer: z.object({ disk: s.disk }),
    errors: ['not_found'],
  },
  'DELETE /projects/:name/disk': {
    summary: 'Remove the disk; its files are kept for 7 days',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['disk.delete'],
    query: z.object({ confirm: z.string().describe('The name of the project') }),
    answer: z.object({ removed_until: s.timestamp, restarting: s.restarting }),
    errors: ['invalid_request', 'not_found'],
  },
  'GET /projects/:name/disk/snapshots': {
    summary: 'Snapshots of the disk, newest first',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({ snapshots: z.array(s.diskSnapshot) }),
    errors: ['not_found'],
  },
  'POST /projects/:name/disk/snapshots': {
    summary: 'Make a snapshot; requests wait meanwhile',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['disk.snapshot'],
    status: 202,
    answer: s.ok,
    errors: ['not_found', 'run_under_way'],
    note: '`is_copying` of the disk says when it is made, and `problem` whether that failed. The app ends for it and starts again.',
  },
  'POST /projects/:name/disk/snapshots/:id/restore': {
    summary: 'Replace what the disk holds by a snapshot',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['disk.restore'],
    status: 202,
    answer: s.ok,
    errors: ['not_found', 'run_under_way'],
    note: 'What the disk held before is kept as a snapshot.',
  },
  'GET /projects/:name/disk/snapshots/:id/download': {
    summary: 'A snapshot as a tar archive',
    access: 'user',
    role: 'admin',
    rateLimits: ['exports'],
    answer: 'application/x-tar',
    errors: ['not_found', 'unavailable'],
  },
} as const satisfies Endpoints
