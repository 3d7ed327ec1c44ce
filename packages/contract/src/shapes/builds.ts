// Builds from git: repositories, builds, branches, deploy hooks, installations at the git host.
import { z } from 'zod'
import { id, timestamp } from './basics.ts'

export const forge = z.enum(['builtin', 'github', 'gitlab', 'gitea', 'public'])

export const installation = z.object({
  id: z.number().int(),
  account: z.string(),
  mine: z.boolean(),
  org: z.string().nullable(),
  shared_by: z.string().nullable(),
})

/** A repository of the built-in forge. */
export const storedRepository = z.object({
  repo: z.string().describe('`owner/name`'),
  clone_url: z.string(),
  size_bytes: z.number().int().nullable().describe('`null` if it was not measured yet'),
  size_limit_bytes: z.number().int().describe('A push that leaves more in the repository is refused'),
  projects: z.array(z.string()).describe('The projects that build from it'),
  can_delete: z.boolean().describe('Whether the role of the caller allows to delete it'),
  created_at: timestamp,
})

export const installationRepository = z.object({
  id: z.number().int(),
  full_name: z.string(),
  private: z.boolean(),
  default_branch: z.string(),
})

export const repo = z.object({
  repo: z.string(),
  forge: forge.optional().describe('The git host of the repository'),
  branch: z.string(),
  build_cmd: z.string().nullable(),
  install_cmd: z.string().nullable(),
  output_dir: z.string().nullable(),
  root_dir: z.string().nullable().optional().describe('The folder that is built, in a monorepo'),
  previews: z.boolean(),
  installation_id: z.number().nullable(),
  connected_at: timestamp,
  clone_url: z.string().optional().describe('For a repository of the built-in forge: the URL for `git push`'),
  build_id: id('bld')
    .nullable()
    .optional()
    .describe('On connecting: the first build, if the branch has commits'),
})

export const buildStatus = z.enum(['queued', 'building', 'succeeded', 'failed', 'cancelled'])

export const build = z.object({
  id: id('bld'),
  status: buildStatus,
  branch: z.string(),
  commit_sha: z.string().nullable(),
  commit_message: z.string().nullable(),
  author: z.string().nullable(),
  deployment_id: id('dep').nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
  error: z.string().nullable(),
  position: z.number().int().optional().describe('While it is queued: 1 is the next one'),
})

export const branch = z.object({
  branch: z.string(),
  production: z.boolean(),
  url: z.string().nullable().describe('Null if the branch has no deployment'),
  deployment_id: id('dep').nullable().describe('The deployment that the URL shows'),
  deployed_at: timestamp.nullable(),
  domains: z.array(z.string()).describe('Custom domains that show this branch'),
  build: build.nullable().describe('The last build'),
})

export const deployHook = z.object({
  id: id('hook'),
  name: z.string(),
  branch: z.string().describe('The branch that it builds'),
  created_at: timestamp,
  created_by: z.string().nullable().describe('Login of its creator'),
  last_used_at: timestamp.nullable(),
})

export const createdDeployHook = deployHook.extend({
  url: z.string().describe('POST to this URL to build. It is only in this answer'),
})

export const hookedBuild = z.object({
  build_id: id('bld'),
  status: buildStatus,
  branch: z.string(),
  commit_sha: z.string(),
  queued: z.boolean().describe('False if a build of this commit was queued already'),
})

export type Forge = z.infer<typeof forge>
export type Installation = z.infer<typeof installation>
export type InstallationRepository = z.infer<typeof installationRepository>
export type Repo = z.infer<typeof repo>

/** What a project can begin with. */
export const template = z.object({ name: z.string(), title: z.string(), summary: z.string() })
export type Template = z.infer<typeof template>
export type Build = z.infer<typeof build>
export type BuildStatus = Build['status']
export type Branch = z.infer<typeof branch>
export type StoredRepository = z.infer<typeof storedRepository>
export type DeployHook = z.infer<typeof deployHook>
export type CreatedDeployHook = z.infer<typeof createdDeployHook>
export type HookedBuild = z.infer<typeof hookedBuild>
