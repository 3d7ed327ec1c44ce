// Deployments.
import { z } from 'zod'
import { id, timestamp } from './basics.ts'

/** Content types of an upload. */
export const tarballTypes = ['application/gzip', 'application/x-gzip'] as const

export const deployment = z.object({
  id: id('dep'),
  status: z.enum(['uploading', 'live', 'superseded', 'failed', 'branch']),
  kind: z.enum(['static', 'server']),
  framework: z
    .string()
    .nullable()
    .describe('Of a server: what it was made with, such as `Next.js standalone`'),
  start_command: z.string().nullable().describe('Of a server: how it is started'),
  created_at: timestamp,
  file_count: z.number().int().nullable(),
  size_bytes: z.number().int().nullable().describe('The extracted total'),
  git_sha: z.string().nullable(),
  git_branch: z.string().nullable(),
  cli_version: z.string().nullable(),
  created_by: z.string().nullable().describe('Login of the uploader'),
  url: z.string().describe('The permanent URL of this deployment'),
  warnings: z.array(z.string()),
  error: z.string().nullable(),
})

export const uploaded = z.object({
  deployment_id: id('dep'),
  url: z.string(),
  expires_at: timestamp.nullable(),
  warnings: z.array(z.string()),
  kind: z.literal('server').optional().describe('Where the deployment is a server'),
  framework: z.string().optional().describe('What the server was made with'),
})

export type Deployment = z.infer<typeof deployment>
export type DeploymentStatus = Deployment['status']
export type DeploymentKind = Deployment['kind']
