// Deployments.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { sha256Pattern } from '../site/unchanged.ts'
import { id, nextCursor, timestamp } from './basics.ts'

/** Content types of an upload. */
export const tarballTypes = ['application/gzip', 'application/x-gzip'] as const

export const deployment = z.object({
  id: id('dep'),
  status: z.enum(['uploading', 'live', 'superseded', 'failed', 'branch']),
  kind: z.enum(['static', 'server']),
  framework: z.string().nullable().describe('Of a server app: its framework, such as `Next.js standalone`'),
  start_command: z.string().nullable().describe('Of a server app: the command that starts it'),
  release_command: z
    .string()
    .nullable()
    .describe('Of a server app: the command that ran once before it went live'),
  node_version: z
    .string()
    .nullable()
    .describe('The version of Node.js that built it, or that it runs with, if that is known'),
  created_at: timestamp,
  duration_ms: z
    .number()
    .int()
    .nullable()
    .describe('From the first byte of the upload to the end of the deploy; null while it runs'),
  file_count: z.number().int().nullable(),
  size_bytes: z.number().int().nullable().describe('The extracted total'),
  git_sha: z.string().nullable(),
  git_branch: z.string().nullable(),
  cli_version: z.string().nullable(),
  created_by: z.string().nullable().describe('Login of the uploader'),
  url: z.string().describe('The permanent URL of this deployment'),
  warnings: z.array(z.string()),
  error: z.string().nullable(),
  build_id: id('bld').nullable().describe('The build that made it'),
  build_ms: z.number().int().nullable().describe('How long that build took'),
  commit_message: z.string().nullable().describe('The message of the commit that was built'),
  commit_author: z.string().nullable(),
})

export const deploymentDetail = deployment.extend({
  is_active: z.boolean().describe('It is what visitors of the project see'),
  branch_url: z.string().nullable().describe('Of a branch deployment: where the newest one of its branch is'),
  previous_id: id('dep').nullable().describe('The deployment that it replaced, if its files are still there'),
})

/** How a file differs between two deployments. */
export const fileChange = z.enum(['added', 'changed', 'removed'])

export const deploymentFile = z.object({
  path: z.string(),
  size_bytes: z.number().int(),
  change: fileChange.nullable().describe('Compared with `since`; null without it'),
})

export const deploymentFiles = z.object({
  files: z.array(deploymentFile),
  next_cursor: nextCursor,
  changes: z
    .object({ added: z.number().int(), changed: z.number().int(), removed: z.number().int() })
    .nullable()
    .describe('With `since`: how many files differ in all'),
})

export const fileHashes = z.object({
  sha256: z
    .array(z.string().regex(sha256Pattern, 'must be a SHA-256 hash in lowercase hex'))
    .max(limits.files)
    .describe('Hashes of the contents of files, in hex'),
})

export const uploaded = z.object({
  deployment_id: id('dep'),
  url: z.string(),
  permanent_url: z.string().describe('The URL of this deployment, whatever is live later'),
  expires_at: timestamp.nullable(),
  warnings: z.array(z.string()),
  kind: z.literal('server').optional().describe('Only for a server app'),
  framework: z.string().optional().describe('The framework of the server app'),
})

export type Deployment = z.infer<typeof deployment>
export type DeploymentDetail = z.infer<typeof deploymentDetail>
export type DeploymentFiles = z.infer<typeof deploymentFiles>
export type FileChange = z.infer<typeof fileChange>
export type DeploymentStatus = Deployment['status']
export type DeploymentKind = Deployment['kind']
