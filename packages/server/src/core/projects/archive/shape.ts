// What an archive of one project says about it, beside the files of its deployments. It may come from another platform, so
// everything in it is bounded, and unknown fields are refused.
import { envKeyPattern, formNamePattern, limits, namePattern, platformEnvKeys, shapes } from '@svc/contract'
import { z } from 'zod'
import { isBranchName } from '../../base/branch-names.ts'
import { isRepositoryName } from '../../builds/repositories.ts'

/** A longer description is refused before it is parsed. */
export const descriptionBytes = 64 * 1024 * 1024

const deploymentsAtMost = 100_000
const domainsAtMost = 1_000

const text = (most: number) => z.string().max(most)
const time = z.number().int().min(0).max(8_640_000_000_000_000)

/** A hash that costs more to check would be a way to stop the platform. */
const isBearable = (hash: string): boolean => {
  const [, N = 0, r = 0, p = 0] = hash.split('$').map(Number)
  return N * r * p <= 2 ** 20
}

const passwordHash = z
  .string()
  .regex(/^scrypt\$\d{1,7}\$\d{1,2}\$\d{1,2}\$[\w-]{10,100}\$[\w-]{43}$/)
  .refine(isBearable)

const hasItsPassword = ({ mode, password_hash: hash }: { mode: string; password_hash: string | null }) =>
  (mode === 'password') === (hash !== null)

const branch = text(300).refine(isBranchName)

const deployment = z.strictObject({
  id: z.string().regex(/^dep_[a-z0-9]{16}$/),
  status: z.enum(['live', 'superseded', 'branch']),
  kind: z.enum(['static', 'server']),
  created_at: time,
  finished_at: time.nullable(),
  superseded_at: time.nullable(),
  released_at: time.nullable(),
  git_sha: text(100).nullable(),
  /** Archives of earlier versions have none. */
  commit_message: text(1_000).nullable().default(null),
  commit_author: text(1_000).nullable().default(null),
  /** `owner:branch` of a fork. */
  git_branch: text(300).nullable(),
  /** Whether it can be at the URL of its branch. */
  at_branch: z.boolean(),
  from_fork: z.boolean(),
  cli_version: text(100).nullable(),
  warnings: z.array(text(10_000)).max(1_000),
  framework: text(100).nullable(),
  start_command: z.array(text(10_000)).min(1).max(100).nullable(),
  release_command: text(10_000).nullable(),
  node_asked: text(200).nullable(),
  node_version: text(100).nullable(),
})

const variable = z.strictObject({
  key: z
    .string()
    .max(limits.envKey)
    .regex(envKeyPattern)
    .refine(key => !platformEnvKeys.includes(key)),
  value: text(limits.envValueBytes),
  environment: z.enum(['both', 'production', 'preview']),
  /** Empty: all branches. */
  branch: z.union([z.literal(''), branch]),
  scope: shapes.envScope,
  secret: z.boolean(),
  updated_at: time,
})

const domain = z.strictObject({
  domain: text(300),
  branch: branch.nullable(),
  redirect_to: text(300).nullable(),
  primary: z.boolean(),
})

const form = z.strictObject({
  name: z.string().regex(formNamePattern),
  notify: z.union([z.enum(['on', 'off']), z.string().max(limits.email).refine(shapes.isEmail)]),
  retention_days: z
    .number()
    .int()
    .min(limits.formRetentionDays.min)
    .max(limits.formRetentionDays.max)
    .nullable(),
})

const cron = z.strictObject({
  schedule: text(200),
  path: text(2_000),
  method: text(10),
  enabled: z.boolean(),
})

const command = text(10_000).nullable()
const folder = text(1_000)
  .refine(path => !path.startsWith('/') && !path.split('/').includes('..'))
  .nullable()

const repository = z.strictObject({
  name: z.string().refine(isRepositoryName),
  /** The branch that a clone checks out. */
  head: branch,
  refs: z
    .array(
      z.strictObject({
        ref: text(300).refine(
          ref => /^refs\/(heads|tags)\//.test(ref) && isBranchName(ref.slice('refs/'.length)),
        ),
        sha: z.string().regex(/^[0-9a-f]{40}$/),
      }),
    )
    .max(limits.refsPerRepository),
  /** The production branch. */
  branch,
  build_cmd: command,
  install_cmd: command,
  output_dir: folder,
  root_dir: folder,
  previews: z.boolean(),
})

const isOneHistory = (all: z.infer<typeof deployment>[]): boolean =>
  new Set(all.map(({ id }) => id)).size === all.length &&
  all.filter(({ status }) => status === 'live').length <= 1

const isRoomy = (all: z.infer<typeof variable>[]): boolean =>
  all.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0) <= limits.envBytes

export const projectDescription = z.strictObject({
  name: z.string().regex(namePattern),
  /** The login of the account or the name of the org. */
  owner: z.string().max(100),
  created_at: time,
  access: z
    .strictObject({
      mode: z.enum(['public', 'password', 'org']),
      password_hash: passwordHash.nullable(),
      previews: z
        .strictObject({ mode: z.enum(['password', 'org']), password_hash: passwordHash.nullable() })
        .refine(hasItsPassword)
        .nullable(),
    })
    .refine(hasItsPassword),
  retention: shapes.retention.strict(),
  /** The range of Node versions in the settings. */
  node: text(200).nullable(),
  deployments: z.array(deployment).max(deploymentsAtMost).refine(isOneHistory),
  env: z.array(variable).max(limits.envVariables).refine(isRoomy),
  domains: z.array(domain).max(domainsAtMost),
  forms: z.array(form).max(limits.formsPerProject),
  crons: z.array(cron).max(limits.crons),
  /** Archives of earlier versions have neither of these two. */
  production_locked_at: time.nullable().default(null),
  repository: repository.nullable().default(null),
})

export type ProjectDescription = z.infer<typeof projectDescription>
export type ArchivedRepository = z.infer<typeof repository>
export type ArchivedDomain = z.infer<typeof domain>
export type ArchivedDeployment = z.infer<typeof deployment>
