// Invitations to create an account: a secret link that works once, also if sign-ups are closed.
import { type AccountInvite, limits } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { newId, newSecret, sha256 } from '../../lib/ids.ts'
import { lockAdmins } from '../../store/admin/users.ts'
import {
  type AccountInviteWithSender,
  findAccountInvite,
  insertAccountInvite,
  pendingAccountInvites,
  takeAccountInvite,
} from '../../store/identity/account-invites.ts'
import type { Tx } from '../../store/store.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { requireMail } from '../base/mail-limits.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'

const pendingAtMost = 200

export async function createAccountInvite(
  platform: PlanSettings & Rows & Pick<Platform, 'domain' | 'mailer' | 'urls'>,
  caller: Caller,
  input: { email?: string | null | undefined; expires_in_days?: number | undefined },
) {
  const email = input.email ?? null
  const sender = caller.account
  if (email !== null) await requireMail(platform, { ownerId: sender.id, to: email, recipient: 'stranger' })
  const secret = newSecret()
  const now = platform.clock.now()
  const row = {
    id: newId('inv'),
    email,
    token_hash: sha256(secret),
    sender_id: sender.id,
    created_at: now,
    expires_at: now + (input.expires_in_days ?? limits.inviteDays) * dayMs,
  }
  await platform.store.transact(async tx => {
    await lockAdmins(tx)
    if ((await pendingAccountInvites(tx, now)).length >= pendingAtMost)
      throw new Fault('invalid_request', `There are ${pendingAtMost} pending invitations. Revoke some first.`)
    await insertAccountInvite(tx, row)
    await note(platform, tx, caller, 'signup-invite.create', row)
  })
  const invite = describe({ ...row, sender_login: sender.login })
  const inviteUrl = `${platform.urls.dashboard}/join/${secret}`
  return { ...invite, invite_url: inviteUrl, email_sent: await sendInvite(platform, invite, inviteUrl) }
}

const note = (
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  caller: Caller,
  action: 'signup-invite.create' | 'signup-invite.revoke',
  { id, email }: { id: string; email: string | null },
) => audit(platform, tx, caller, { action, accountId: caller.account.id, target: email ?? id })

export async function listAccountInvites(platform: Rows): Promise<AccountInvite[]> {
  return (await pendingAccountInvites(platform.store.db, platform.clock.now())).map(describe)
}

export async function revokeAccountInvite(platform: Rows, caller: Caller, id: string): Promise<void> {
  await platform.store.transact(async tx => {
    const revoked = await takeAccountInvite(tx, 'id', id)
    if (!revoked || revoked.expires_at <= platform.clock.now())
      throw new Fault('not_found', 'There is no such pending invitation.')
    await note(platform, tx, caller, 'signup-invite.revoke', revoked)
  })
}

/** For the page that the link opens. */
export async function previewAccountInvite(platform: Rows, secret: string) {
  const invite = await findAccountInvite(platform.store.db, sha256(secret), platform.clock.now())
  if (!invite) throw new Fault('not_found', 'The invitation was used, revoked, or has expired.')
  return { sender: invite.sender_login, email: invite.email, expires_at: isoTime(invite.expires_at) }
}

/** Whether the secret is that of a pending invitation. Only `useAccountInvite` can say that it still is. */
export const isAccountInvite = async (platform: Rows, secret: string | undefined): Promise<boolean> =>
  secret !== undefined &&
  (await findAccountInvite(platform.store.db, sha256(secret), platform.clock.now())) !== undefined

/** Uses up an invitation in the transaction of a sign-up. False if the secret is of another kind, or spent. */
export async function useAccountInvite(
  { clock }: Pick<Platform, 'clock'>,
  tx: Tx,
  secret: string | undefined,
): Promise<boolean> {
  if (secret === undefined) return false
  const invite = await takeAccountInvite(tx, 'token_hash', sha256(secret))
  return invite !== undefined && invite.expires_at > clock.now()
}

/** True only if the mail server took it. */
async function sendInvite(
  { mailer, domain }: Pick<Platform, 'domain' | 'mailer'>,
  { email, sender, expires_at }: AccountInvite,
  inviteUrl: string,
): Promise<boolean> {
  if (email === null) return false
  return await mailer.send({
    to: email,
    subject: `${sender} invites you to svc on ${domain}`,
    text: `${sender} invites you to create an account on ${domain}.

Create it here: ${inviteUrl}

The link works once, until ${expires_at.slice(0, 10)}. If you did not expect this, ignore it.
`,
  })
}

const describe = (row: AccountInviteWithSender): AccountInvite => ({
  id: row.id,
  email: row.email,
  sender: row.sender_login,
  created_at: isoTime(row.created_at),
  expires_at: isoTime(row.expires_at),
})
