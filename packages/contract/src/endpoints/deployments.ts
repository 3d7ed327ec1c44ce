// Deployments of a project: upload, activate, promote, delete.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

export const deploymentEndpoints = {
  'GET /projects/:name/deployments': {
    summary: 'All deployments of a project, newest first',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object({
      status: s.deployment.shape.status.optional(),
      branch: z.string().min(1).max(255).optional().describe('Only deployments of this git branch'),
      kind: s.deployment.shape.kind.optional(),
      ...s.page,
    }),
    answer: z.object({ deployments: z.array(s.deployment), next_cursor: s.nextCursor }),
    errors: ['not_found'],
  },
  'GET /projects/:name/deployments/:id': {
    summary: 'One deployment: what was deployed, by whom, from which commit',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: s.deploymentDetail,
    errors: ['not_found'],
  },
  'GET /projects/:name/deployments/:id/files': {
    summary: 'The files of a deployment; with `since`, those that differ from another deployment',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object({
      since: z.string().max(100).optional().describe('A deployment of the same project to compare with'),
      limit: s.wholeNumber({ min: 1, max: 1000, default: 200 }),
      cursor: z.string().max(8000).optional().describe('The `next_cursor` of the page before'),
    }),
    answer: s.deploymentFiles,
    errors: ['not_found'],
    note: 'Sorted by path. A failed deployment has no files.',
  },
  'POST /projects/:name/deployments': {
    summary: 'Upload a built site as a gzipped tarball; it is live when the endpoint answers',
    access: 'user or deploy',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['deployment.upload'],
    query: z.object({
      branch: z.string().min(1).max(255).optional(),
      node: s.nodeRange
        .optional()
        .describe('The version of Node.js that a server app needs, if its files do not say it: `22`, `>=20`'),
      release: s.releaseCommand
        .optional()
        .describe(
          'A command that runs once, before a server app goes live. If it fails, the deployment does',
        ),
      seed: s.releaseCommand
        .optional()
        .describe(
          'A command that fills the new database and the new disk of a preview, after the release command',
        ),
    }),
    rawBody: s.tarballTypes,
    status: 201,
    answer: s.uploaded,
    errors: [
      'suspended',
      'invalid_archive',
      'invalid_request',
      'payload_too_large',
      'deployment_failed',
      'files_missing',
      'not_found',
    ],
    note: 'Optional headers: `X-Svc-Cli-Version`, `X-Svc-Git-Sha`, and `X-Svc-Git-Message` and `X-Svc-Git-Author`, percent-encoded, for the first line and the author of the commit.',
  },
  'POST /projects/:name/deployments/missing': {
    summary: 'Which files an upload must bring, by their hashes',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: [],
    body: s.fileHashes,
    answer: s.fileHashes,
    errors: ['invalid_request', 'not_found', 'unavailable'],
    note: 'Answers those hashes that no recent deployment of this project has. An archive may leave out the other files if it lists them in `_svc/unchanged.json`: `{"files": [["path", "sha256"], …]}`. Files that arrived whole before an upload with such a list broke off are kept for an hour and are not missing either, so asking again after that resumes the upload.',
  },
  'POST /projects/:name/deployments/:id/activate': {
    summary: 'Make an earlier deployment the live one (rollback)',
    access: 'user or deploy',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['deployment.activate'],
    answer: z.object({ ok: z.literal(true), active_deployment_id: z.string() }),
    errors: ['suspended', 'not_found', 'not_activatable', 'deployment_failed'],
    note: 'If the project has a repository and a newer production deployment exists, production is locked: pushes are built, but do not go live until someone unlocks it. Activating the newest one unlocks it.',
  },
  'POST /projects/:name/deployments/:id/promote': {
    summary: 'Make a branch deployment the live one',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['deployment.promote'],
    answer: z.object({
      ok: z.literal(true),
      active_deployment_id: z.string(),
      previous_deployment_id: z
        .string()
        .nullable()
        .describe('The deployment that was live before. Activate it to undo this'),
    }),
    errors: ['suspended', 'not_found', 'not_activatable', 'deployment_failed'],
    note: 'Nothing is built or copied: the same files go live. The deployment keeps its permanent URL and stays at the URL of its branch. The next push to the production branch replaces it, unless a newer production deployment exists: then production is locked, as after a rollback.',
  },
  'DELETE /projects/:name/deployments/:id': {
    summary: 'Delete an inactive deployment for good',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['deployment.delete'],
    answer: s.ok,
    errors: ['not_found', 'deployment_live', 'deployment_pinned'],
  },
} as const satisfies Endpoints
