// The audit log: who changed what in an org or a project, or in how an account signs in. And the events of `GET /events`.
import { z } from 'zod'
import { timestamp } from './basics.ts'

/** All actions that the audit log records. The dashboard has a sentence for each. */
export const auditAction = z.enum([
  'project.create',
  'project.delete',
  'project.transfer',
  'project.rename',
  'project.retention',
  'project.suspend',
  'project.resume',
  'production.lock',
  'production.unlock',
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
  'domain.redirect',
  'domain.primary',
  'domain.detach',
  'domain.move',
  'certificate.refresh',
  'cron.create',
  'cron.update',
  'cron.enable',
  'cron.disable',
  'cron.delete',
  'notification.create',
  'notification.update',
  'notification.delete',
  'cache.revalidate',
  'repo.connect',
  'repo.disconnect',
  'repo.delete',
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
  'invite.resend',
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
  'signup-invite.create',
  'signup-invite.revoke',
  'job.retry',
  'job.cancel',
  'account.password',
  'account.email',
  'account.email-cancel',
  'account.totp-on',
  'account.totp-off',
  'account.recovery-codes',
  'account.recovery-code',
  'account.codes-blocked',
  'account.passkey-add',
  'account.passkey-rename',
  'account.passkey-remove',
  'account.github-link',
  'account.reset',
  'account.disable',
  'account.enable',
  'account.suspend',
  'account.resume',
  'account.admin-on',
  'account.admin-off',
])

export const auditEntry = z.object({
  at: timestamp,
  actor: z.string().nullable(),
  action: auditAction,
  target: z.string().nullable(),
  project: z.string().nullable().describe('The project, while it exists'),
  ip: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})

export type AuditAction = z.infer<typeof auditAction>
export type AuditEntry = z.infer<typeof auditEntry>

/** What `GET /events` sends as `change`. */
export interface LiveEvent {
  topic: 'project' | 'deployment' | 'app' | 'build' | 'domain' | 'cron' | 'workspace'
  /** The name of the project. Null for `workspace`: projects were added to it or taken from it. */
  project: string | null
  /** The deployment, build or domain that changed. */
  id: string | null
}
