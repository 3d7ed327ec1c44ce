// Changes to how an account signs in: an entry in its audit log, and an email to its owner. The email is queued in the
// transaction of the change.
import type { AuditAction } from '@svc/contract'
import { findAccountById } from '../../store/identity/accounts.ts'
import { findAudit } from '../../store/platform/audit.ts'
import type { Tx } from '../../store/store.ts'
import type { AccountRow } from '../../store/tables.ts'
import { type Actor, audit } from '../base/audit.ts'
import { enqueue } from '../base/jobs.ts'
import { spendSecurityMail } from '../base/mail-limits.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'

/** These change nothing about how the account signs in, so nobody gets an email about them. */
type QuietAction = 'account.email-cancel' | 'account.passkey-rename'
export type SecurityAction = Exclude<Extract<AuditAction, `account.${string}`>, QuietAction>
type Details = Record<string, string | number>

interface SecurityEvent {
  action: SecurityAction
  account: Pick<AccountRow, 'id' | 'login'>
  /** Only the address, if it was not the account itself. */
  by: Actor | { ip: string }
  details?: Details
}

export async function noteSecurityEvent(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  { action, account, by, details = {} }: SecurityEvent,
): Promise<void> {
  const entry = { action, accountId: account.id, target: account.login, details }
  const id = await audit(platform, tx, by, entry)
  const now = platform.clock.now()
  await enqueue(tx, 'security-mail', { id }, { now })
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** What happened, as the subject of the email. */
const subjects: Record<SecurityAction, (details: Details) => string> = {
  'account.password': () => 'Your password was changed',
  'account.email': ({ to }) => `Your email address was changed to ${to}`,
  'account.totp-on': () => 'Signing in now needs a code from your authenticator app',
  'account.totp-off': () => 'Your authenticator app was turned off',
  'account.recovery-codes': () => 'You have new recovery codes',
  'account.recovery-code': ({ left }) =>
    `A recovery code was used to sign in; ${plural(Number(left), 'code')} left`,
  'account.codes-blocked': () => 'Somebody entered your password and many wrong codes',
  'account.passkey-add': ({ name }) => `The passkey “${name}” was added to your account`,
  'account.passkey-remove': ({ name }) => `The passkey “${name}” was removed from your account`,
  'account.github-link': ({ user }) => `The GitHub user ${user} can sign in to your account now`,
  'account.github-unlink': ({ user }) => `The GitHub user ${user} can no longer sign in to your account`,
  'account.reset': () => 'The operator removed your authenticator app and your passkeys',
  'account.disable': () => 'Your account was disabled',
  'account.enable': () => 'Your account was enabled again',
  'account.suspend': () => 'Your sites were suspended',
  'account.resume': () => 'Your sites are online again',
  'account.admin-on': () => 'You are now an admin of the platform',
  'account.admin-off': () => 'You are not an admin of the platform any more',
  'account.delete': ({ at }) => `Your account will be deleted at ${at}`,
  'account.keep': () => 'Your account will not be deleted',
}

/** Changes that only an admin of the platform can make. Their email does not ask whether it was you. */
const byAdmins: ReadonlySet<string> = new Set<SecurityAction>([
  'account.disable',
  'account.enable',
  'account.suspend',
  'account.resume',
  'account.admin-on',
  'account.admin-off',
])

/** Run by the job queue. */
export async function sendSecurityMail(
  platform: Rows & Pick<Platform, 'domain' | 'mailer' | 'urls'>,
  auditId: string,
): Promise<void> {
  const { db } = platform.store
  const entry = await findAudit(db, auditId)
  const account = await findAccountById(db, entry?.account_id ?? '')
  if (!entry || !account || !platform.mailer.isConfigured) return
  const details = JSON.parse(entry.details) as Details
  // The former address learns that it was replaced.
  const to = entry.action === 'account.email' ? String(details.from) : account.email
  if (!to) return
  // The address may belong to somebody else, because a sign-up does not confirm it. So there is a limit.
  if (!(await spendSecurityMail(platform, { accountId: account.id, to }))) return
  const subject = subjects[entry.action as SecurityAction](details)
  const isByAdmin = byAdmins.has(entry.action) || (isDeletion(entry.action) && entry.actor !== account.login)
  const advice = isByAdmin
    ? `An admin of the platform did this. ${afterAdmin(entry.action, details)}: ${platform.urls.dashboard}`
    : ifNotYou(platform, entry.action)
  const from = entry.ip && !isByAdmin ? `\nAddress: ${entry.ip}` : ''
  const text = `${subject}.

Account: ${account.login}
Time: ${isoTime(entry.created_at)}${from}

${advice}
`
  if (!(await platform.mailer.send({ to, subject, text })))
    throw new Error('the mail server did not accept an email about a sign-in change')
}

/** The owner or an admin does it. */
const isDeletion = (action: string): boolean => action === 'account.delete' || action === 'account.keep'

function afterAdmin(action: string, { reason }: Details): string {
  if (action === 'account.suspend') return `The reason: ${reason}\n\nNothing is deleted`
  if (action === 'account.delete')
    return 'Your sites are offline. Until then you can sign in and download your data'
  return 'Your sites stay online'
}

function ifNotYou({ urls, domain }: Pick<Platform, 'domain' | 'urls'>, action: string): string {
  if (action === 'account.delete')
    return `Your sites are offline, and your sessions and tokens have ended. Until then you can keep the account or download its data: sign in at ${urls.dashboard}
If this was not you, sign in, keep the account and change your password.`
  const first = `If this was not you, change your password and look at your sign-in settings: ${urls.dashboard}/account/security`
  if (action !== 'account.email') return first
  return `${first}
Then change the email address back: ${urls.dashboard}/account
If you cannot sign in any more, ask the operator of ${domain}. This address gets no more emails about the account.`
}
