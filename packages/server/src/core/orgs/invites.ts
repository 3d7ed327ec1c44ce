// Invites: a secret link that adds someone to an org with a role. It works once, for 14 days.

import { type Invite, limits, type Org } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { newId, newSecret, sha256 } from '../../lib/ids.ts'
import {
  endInvite,
  findPendingInvite,
  findPendingInviteById,
  type InviteWithNames,
  insertInvite,
  pendingInvites,
  renewInvite,
} from '../../store/orgs/invites.ts'
import { findOrg, insertMember, lockOrg } from '../../store/orgs/orgs.ts'
import type { Tx } from '../../store/store.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { requireMail } from '../base/mail-limits.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { describeOrg, lockExistingOrg } from './orgs.ts'
import type { OrgScope } from './rights.ts'

const pendingAtMost = 200

export async function createInvite(
  platform: PlanSettings & Rows & Pick<Platform, 'mailer' | 'urls'>,
  caller: Caller,
  org: OrgScope,
  input: { email: string; role: 'member' | 'admin' },
) {
  const ownerId = caller.account.id
  await requireMail(platform, { ownerId, to: input.email, recipient: 'stranger' })
  const secret = newSecret()
  const now = platform.clock.now()
  const row = {
    id: newId('inv'),
    org_id: org.id,
    email: input.email,
    role: input.role,
    token_hash: sha256(secret),
    sender_id: caller.account.id,
    status: 'pending' as const,
    created_at: now,
    expires_at: now + limits.inviteDays * dayMs,
  }
  await platform.store.transact(async tx => {
    await lockExistingOrg(tx, org)
    if ((await pendingInvites(tx, org.id, now)).length >= pendingAtMost)
      throw new Fault('invalid_request', `The org has ${pendingAtMost} pending invites. Revoke some first.`)
    await insertInvite(tx, row)
    const details = { role: input.role }
    await audit(platform, tx, caller, {
      action: 'invite.create',
      orgId: org.id,
      target: input.email,
      details,
    })
  })
  return await deliver(platform, { ...row, org_name: org.name, sender_login: caller.account.login }, secret)
}

/** Sends the link if the platform sends email. The link is in this answer only. */
async function deliver(platform: Pick<Platform, 'mailer' | 'urls'>, row: InviteWithNames, secret: string) {
  const invite = describeInvite(row)
  const inviteUrl = `${platform.urls.dashboard}/invites/${secret}`
  return { ...invite, invite_url: inviteUrl, email_sent: await sendInvite(platform, invite, inviteUrl) }
}

/** The invite gets a new link and all its days again. From then on it is the caller's. */
export async function resendInvite(
  platform: PlanSettings & Rows & Pick<Platform, 'mailer' | 'urls'>,
  caller: Caller,
  org: OrgScope,
  id: string,
) {
  const { store, clock } = platform
  const now = clock.now()
  const row = await findPendingInviteById(store.db, org.id, id, now)
  if (!row) throw noPendingInvite()
  await requireMail(platform, { ownerId: caller.account.id, to: row.email, recipient: 'stranger' })
  const secret = newSecret()
  const renewed = {
    token_hash: sha256(secret),
    sender_id: caller.account.id,
    expires_at: now + limits.inviteDays * dayMs,
  }
  await store.transact(async tx => {
    await lockExistingOrg(tx, org)
    if (!(await renewInvite(tx, id, renewed))) throw noPendingInvite()
    await audit(platform, tx, caller, { action: 'invite.resend', orgId: org.id, target: row.email })
  })
  return await deliver(platform, { ...row, ...renewed, sender_login: caller.account.login }, secret)
}

export async function listInvites(platform: Rows, org: OrgScope): Promise<Invite[]> {
  return (await pendingInvites(platform.store.db, org.id, platform.clock.now())).map(describeInvite)
}

export async function revokeInvite(platform: Rows, caller: Caller, org: OrgScope, id: string): Promise<void> {
  await platform.store.transact(async tx => {
    if (!(await endInvite(tx, id, org.id, 'revoked'))) throw noPendingInvite()
    await audit(platform, tx, caller, { action: 'invite.revoke', orgId: org.id, target: id })
  })
}

export async function previewInvite(platform: Rows, secret: string) {
  const invite = await findPendingInvite(platform.store.db, sha256(secret), platform.clock.now())
  if (!invite) throw noSuchInvite()
  return { org: invite.org_name, role: invite.role, sender: invite.sender_login }
}

export async function acceptInvite(platform: Rows, caller: Caller, secret: string): Promise<Org> {
  return await platform.store.transact(async tx => await joinByInvite(platform, tx, caller, secret))
}

/** Also works in the transaction of a sign-up. A member does not use up the invite. */
export async function joinByInvite(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  who: Pick<Caller, 'account' | 'ip'>,
  secret: string,
): Promise<Org> {
  const now = platform.clock.now()
  const invite = await findPendingInvite(tx, sha256(secret), now)
  if (!invite || !(await lockOrg(tx, invite.org_id))) throw noSuchInvite()
  const member = { org_id: invite.org_id, account_id: who.account.id, role: invite.role, joined_at: now }
  if (!(await insertMember(tx, member)))
    throw new Fault('already_member', `You are a member of the org '${invite.org_name}' already.`)
  if (!(await endInvite(tx, invite.id, invite.org_id, 'accepted'))) throw noSuchInvite()
  const details = { role: invite.role }
  await audit(platform, tx, who, {
    action: 'member.join',
    orgId: invite.org_id,
    target: who.account.login,
    details,
  })
  const org = await findOrg(tx, invite.org_name)
  if (!org) throw noSuchInvite()
  return describeOrg(org, invite.role)
}

/** True only where the mail server took it. */
async function sendInvite(
  platform: Pick<Platform, 'mailer'>,
  invite: Invite,
  inviteUrl: string,
): Promise<boolean> {
  return await platform.mailer.send({
    to: invite.email,
    subject: `${invite.sender} invites you to ${invite.org}`,
    text: `${invite.sender} invites you to join the org '${invite.org}' as ${invite.role}.

Accept here: ${inviteUrl}

The link works once, until ${invite.expires_at.slice(0, 10)}. If you did not expect this, ignore it.
`,
  })
}

const noPendingInvite = (): Fault => new Fault('not_found', 'There is no such pending invite.')

const describeInvite = (row: InviteWithNames): Invite => ({
  id: row.id,
  org: row.org_name,
  email: row.email,
  role: row.role,
  sender: row.sender_login,
  created_at: isoTime(row.created_at),
  expires_at: isoTime(row.expires_at),
})

const noSuchInvite = (): Fault =>
  new Fault('not_found', 'This invite is unknown, expired, revoked or used. Ask for a new one.')
