// Changes the email address of an account. The owner of the new address confirms it with a link, and the former address gets a
// notice.
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { newSecret, sha256 } from '../../lib/ids.ts'
import { findAccountById, lockAccount, setEmail } from '../../store/identity/accounts.ts'
import {
  deleteEmailChange,
  findEmailChange,
  saveEmailChange,
  withdrawEmailChange,
} from '../../store/identity/email-changes.ts'
import type { Tx } from '../../store/store.ts'
import type { AccountRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { requireMail } from '../base/mail-limits.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { type Confirmation, whenConfirmed } from './confirmation.ts'
import { noteSecurityEvent } from './security-events.ts'
import type { PasskeyParts } from './webauthn.ts'

const linkMs = dayMs

type EmailState = { email: string | null; pending_email: string | null }

/** Without a mail server nobody could confirm the address, so it changes at once. */
export async function changeEmail(
  platform: PasskeyParts & PlanSettings & Pick<Platform, 'mailer' | 'domain'>,
  caller: Caller,
  { email, ...confirmation }: Confirmation & { email: string },
): Promise<EmailState> {
  const { mailer, clock, store } = platform
  const secret = newSecret()
  const change = { account_id: caller.account.id, email, token_hash: sha256(secret) }
  const account = await whenConfirmed(platform, caller, confirmation, async (tx, account) => {
    if (account.email === email) throw new Fault('invalid_request', 'email: this is your address already')
    if (mailer.isConfigured) await saveEmailChange(tx, { ...change, expires_at: clock.now() + linkMs })
    else await replaceEmail(platform, tx, caller, account, email)
    return account
  })
  if (!mailer.isConfigured) return { email, pending_email: null }
  try {
    await sendLink(platform, account, email, secret)
  } catch (error) {
    await withdrawEmailChange(store.db, change)
    throw error
  }
  return { email: account.email, pending_email: email }
}

/** Throws if the mail server does not accept the email, or if too many were sent. */
async function sendLink(
  platform: PlanSettings & Rows & Pick<Platform, 'mailer' | 'urls' | 'domain'>,
  { id, login }: AccountRow,
  email: string,
  secret: string,
): Promise<void> {
  const { mailer, urls, domain } = platform
  await requireMail(platform, { ownerId: id, to: email, recipient: 'stranger' })
  const isAccepted = await mailer.send({
    to: email,
    subject: `Confirm your email address for svc on ${domain}`,
    text: `Somebody, probably you, wants to use this email address for the account ${login} on ${domain}.

Confirm it: ${urls.dashboard}/confirm-email/${secret}

The link works once, for 24 hours. If this was not you, ignore this email.
`,
  })
  if (!isAccepted)
    throw new Fault(
      'unavailable',
      `The mail server did not accept the email to ${email}, so nothing was changed. Check the address, and try again.`,
    )
}

/**
 * Another account that opens the link does not use it up. `onConfirmed` runs in the transaction, for what else depends on a
 * confirmed address.
 */
export async function confirmEmail(
  platform: Rows,
  caller: Caller,
  secret: string,
  onConfirmed: (platform: Rows, tx: Tx, accountId: string, email: string) => Promise<void>,
): Promise<{ email: string }> {
  const { id } = caller.account
  return await platform.store.transact(async tx => {
    await lockAccount(tx, id)
    const account = await findAccountById(tx, id)
    const change = await findEmailChange(tx, id, platform.clock.now())
    if (!account || change?.token_hash !== sha256(secret)) throw noSuchLink(caller.account.login)
    await replaceEmail(platform, tx, caller, account, change.email)
    await onConfirmed(platform, tx, id, change.email)
    return { email: change.email }
  })
}

/** Needs no password, because the address stays as it is. */
export async function cancelEmailChange(platform: Rows, caller: Caller): Promise<void> {
  const { id, login } = caller.account
  await platform.store.transact(async tx => {
    await lockAccount(tx, id)
    const change = await findEmailChange(tx, id, platform.clock.now())
    if (!change) throw new Fault('not_found', 'No change of your email address waits for its confirmation.')
    await deleteEmailChange(tx, id)
    const details = { to: change.email }
    await audit(platform, tx, caller, {
      action: 'account.email-cancel',
      accountId: id,
      target: login,
      details,
    })
  })
}

const noSuchLink = (login: string): Fault =>
  new Fault(
    'not_found',
    `This link was used, has expired, or is not for the account ${login}, which is signed in here. Change the address again under Account.`,
  )

async function replaceEmail(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  by: Caller,
  account: AccountRow,
  email: string,
): Promise<void> {
  await setEmail(tx, account.id, email)
  await deleteEmailChange(tx, account.id)
  const details = { from: account.email ?? '', to: email }
  await noteSecurityEvent(platform, tx, { action: 'account.email', account, by, details })
}
