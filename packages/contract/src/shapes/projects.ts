// Projects.
import { z } from 'zod'
import { accessMode } from './access.ts'
import { appState } from './apps.ts'
import { id, timestamp } from './basics.ts'
import { repo } from './builds.ts'
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

export const projectDetail = project.extend({
  kind: z.enum(['static', 'server']),
  app: appState.nullable().describe('The state of the server app of the live deployment'),
  access: z.object({ mode: accessMode }),
  repo: repo.nullable(),
  deployments: z.array(deployment),
  domains: z.array(domain),
})

export type Project = z.infer<typeof project>
export type ProjectDetail = z.infer<typeof projectDetail>
