// Accounts, tokens, orgs, and the log of what they did.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { id, timestamp } from './basics.ts'

export const account = z.object({
  id: id('acc'),
  gitforge_id: z.union([z.number(), z.string()]),
  gitforge_login: z.string(),
  email: z.string().nullable(),
  token_kind: z.enum(['cli', 'ai', 'deploy']),
  org: z.string().nullable(),
  created_at: timestamp,
})

export const token = z.object({
  id: id('tok'),
  kind: z.enum(['cli', 'ai', 'deploy']),
  label: z.string(),
  created_at: timestamp,
  last_used_at: timestamp.nullable().describe('Some minutes behind; null if never used'),
  expires_at: timestamp.nullable().describe('Null if it never expires'),
  revoked_at: timestamp.nullable(),
})

/** What may be said of a new token besides its kind. */
export const newToken = {
  label: z.string().max(limits.tokenLabel).optional(),
  expires_at: z.iso.datetime({ offset: true }).nullish().describe('Null or absent: it never expires'),
}

export const createdToken = token.extend({
  token: z.string().describe('The secret, shown in this answer only'),
})

export const orgToken = token.extend({ created_by: z.string().nullable() })
export const role = z.enum(['member', 'admin', 'owner'])
export const org = z.object({
  id: id('org'),
  name: z.string(),
  display_name: z.string().nullable(),
  icon_url: z.string().nullable(),
  role,
  created_at: timestamp,
})

export const member = z.object({ login: z.string(), role, joined_at: timestamp })
export const orgDetail = org.extend({ members: z.array(member), project_count: z.number().int() })
export const invite = z.object({
  id: id('inv'),
  org: z.string(),
  email: z.string(),
  role,
  sender: z.string(),
  created_at: timestamp,
  expires_at: timestamp,
})

export const createdInvite = invite.extend({ invite_url: z.string(), email_sent: z.boolean() })
export const installation = z.object({
  id: z.number().int(),
  account: z.string(),
  mine: z.boolean(),
  org: z.string().nullable(),
  shared_by: z.string().nullable(),
})

export const deviceLogin = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  expires_in: z.number().int(),
  interval: z.number().int(),
})

export const installationRepository = z.object({
  id: z.number().int(),
  full_name: z.string(),
  private: z.boolean(),
  default_branch: z.string(),
})

/** Everything that is logged; the dashboard has words for each. */
export const auditAction = z.enum([
  'project.create',
  'project.delete',
  'project.transfer',
  'deployment.upload',
  'deployment.activate',
  'deployment.promote',
  'deployment.delete',
  'env.set',
  'env.delete',
  'access.change',
  'app.restart',
  'domain.attach',
  'domain.retarget',
  'domain.detach',
  'domain.move',
  'certificate.refresh',
  'cron.create',
  'cron.enable',
  'cron.disable',
  'cron.delete',
  'cache.revalidate',
  'repo.connect',
  'repo.disconnect',
  'build.queue',
  'build.cancel',
  'hook.create',
  'hook.revoke',
  'form.update',
  'form.delete',
  'submission.delete',
  'org.create',
  'org.update',
  'org.icon',
  'member.join',
  'member.role',
  'member.remove',
  'invite.create',
  'invite.revoke',
  'token.create',
  'token.revoke',
  'installation.share',
  'installation.unshare',
  'billing.checkout',
  'billing.change-plan',
  'billing.cancel',
  'billing.resume',
  'billing.profile',
])

export const auditEntry = z.object({
  at: timestamp,
  actor: z.string().nullable(),
  action: auditAction,
  target: z.string().nullable(),
  project: z.string().nullable().describe('The project it happened in, while there is one'),
  ip: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})

export type Account = z.infer<typeof account>
export type Token = z.infer<typeof token>
export type OrgToken = z.infer<typeof orgToken>
export type TokenKind = Token['kind']
export type Role = z.infer<typeof role>
export type Org = z.infer<typeof org>
export type OrgDetail = z.infer<typeof orgDetail>
export type Member = z.infer<typeof member>
export type Invite = z.infer<typeof invite>
export type Installation = z.infer<typeof installation>
export type InstallationRepository = z.infer<typeof installationRepository>
export type AuditAction = z.infer<typeof auditAction>
export type AuditEntry = z.infer<typeof auditEntry>
