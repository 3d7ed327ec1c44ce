// Projects.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { releaseChars } from '../site/settings.ts'
import { accessMode, previewAccessMode } from './access.ts'
import { appState } from './apps.ts'
import { id, timestamp } from './basics.ts'
import { buildStatus, repo } from './builds.ts'
import { deployment } from './deployments.ts'
import { domain } from './domains.ts'

export const project = z.object({
  id: id('prj'),
  name: z.string(),
  org: z.string().nullable(),
  url: z.string(),
  active_deployment_id: id('dep').nullable(),
  expires_at: timestamp.nullable(),
  created_at: timestamp,
})

const primaryUrl = z.string().nullable().describe('The URL of its primary domain; null if it has none')

/** A project in a list. */
/** Changes with the picture, so that a browser knows when to load it again. */
const picture = z.string().nullable().describe('The version of the picture of the live site, if there is one')

export const listedProject = project.extend({
  primary_url: primaryUrl,
  starred: z.boolean().describe('The caller has starred it'),
  access: z.object({ mode: accessMode }),
  live: z
    .object({ url: z.string().describe('Its permanent URL'), kind: deployment.shape.kind, picture })
    .nullable()
    .describe('The deployment that visitors see'),
  last_deployment: z
    .object({
      id: id('dep'),
      status: deployment.shape.status,
      at: timestamp,
      by: z.string().nullable().describe('Login of the uploader'),
      branch: z.string().nullable(),
      error: z.string().nullable(),
    })
    .nullable()
    .describe('The newest deployment, whatever became of it'),
  last_build: z
    .object({ id: id('bld'), status: buildStatus, at: timestamp, branch: z.string() })
    .nullable()
    .describe('The newest build from git, whatever became of it'),
})

const from = ({ min, max }: { min: number; max: number }) => z.number().int().min(min).max(max).nullable()

/** Which deployments of a project are deleted by themselves. */
export const retention = z.object({
  production_count: from(limits.keptProduction).describe(
    'How many former production deployments are kept besides the live one; null keeps all',
  ),
  preview_days: from(limits.keptPreviewDays).describe('For how many days a preview is kept; null keeps all'),
})

/** A shell line. */
export const releaseCommand = z
  .string()
  .trim()
  .min(1)
  .max(releaseChars)
  .refine(line => !line.includes('\0'), 'must not contain a NUL character')

/** A range of versions, as in `engines.node`. */
export const nodeRange = z.string().trim().min(1).max(100)

export const projectNode = z.object({
  node: z
    .string()
    .nullable()
    .describe('The setting of the project; null if svc.json, .nvmrc, .node-version or engines decide'),
  standard: z.string().nullable().describe('The version for projects that ask for none, if it is known'),
  available: z
    .array(z.string())
    .describe('All versions, the newest first. `22` stands for an image with a release of this line'),
})

export const productionLock = z.object({
  at: timestamp,
  by: z.string().nullable().describe('Login of the account that rolled back, or locked it'),
})

/** Shown to visitors as plain text. */
export const suspensionReason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^\P{Cc}*$/u, 'must be one line')

export const suspension = z.object({
  status: z.union([z.literal(451), z.literal(503)]).describe('What visitors of its sites get'),
  reason: z.string().describe("The operator's words, which visitors see, too"),
  at: timestamp,
})

export const projectDetail = project.extend({
  primary_url: primaryUrl,
  kind: z.enum(['static', 'server']),
  app: appState.nullable().describe('The state of the server app of the live deployment'),
  access: z.object({ mode: accessMode }),
  preview_access: z
    .object({ mode: previewAccessMode })
    .describe('Who may see its previews; `site`: visitors who may see the site'),
  picture,
  repo: repo.nullable(),
  retention,
  production_lock: productionLock
    .nullable()
    .describe('Set while pushes are built but do not go live, as after a rollback'),
  deployments: z.array(deployment),
  domains: z.array(domain),
  suspended: suspension.nullable().describe('Set if the operator has suspended the project or its owner'),
})

export type Suspension = z.infer<typeof suspension>
export type ProductionLock = z.infer<typeof productionLock>
export type ProjectNode = z.infer<typeof projectNode>
export type Retention = z.infer<typeof retention>
export type ListedProject = z.infer<typeof listedProject>
export type Project = z.infer<typeof project>
export type ProjectDetail = z.infer<typeof projectDetail>
