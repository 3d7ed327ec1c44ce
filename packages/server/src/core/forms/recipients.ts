// The recipients of emails of a form or of notifications. An address gets no email before its owner confirmed it with a link.
import { Fault } from '../../lib/fault.ts'
import { newSecret, sha256 } from '../../lib/ids.ts'
import { type Owner, ownerId } from '../../store/billing/plan-usage.ts'
import { formsNotifying } from '../../store/forms/forms.ts'
import {
  askRecipient,
  confirmRecipient,
  findAsked,
  findRecipients,
  insertConfirmed,
} from '../../store/forms/recipients.ts'
import { memberEmails } from '../../store/identity/accounts.ts'
import { ownedOrgs } from '../../store/orgs/orgs.ts'
import type { Db, Tx } from '../../store/store.ts'
import type { MailRecipientRow } from '../../store/tables.ts'
import { requireMail } from '../base/mail-limits.ts'
import type { FormMailParts, Platform, Rows } from '../base/platform.ts'
import { askForMail } from './mail-jobs.ts'

interface Recipients {
  /** The addresses that get emails. */
  confirmed: string[]
  /** The addresses that have not confirmed yet. */
  pending: string[]
}

/** The recipients of a form. `notify` is its setting: `on`, `off` or an address. */
export async function recipientsOf(
  platform: Pick<Platform, 'store' | 'signups'>,
  project: Owner,
  notify: string,
): Promise<Recipients> {
  if (notify === 'off') return { confirmed: [], pending: [] }
  const { db } = platform.store
  const members = await memberEmails(db, project)
  const owners = members.filter(({ isOwner }) => isOwner)
  const wanted = notify === 'on' ? owners.map(({ email }) => email) : [notify]
  // With open sign-ups, the address of an account is not verified, so it must be confirmed, too.
  const trusted = new Set(platform.signups === 'open' ? [] : members.map(({ email }) => lower(email)))
  const unsure = wanted.map(lower).filter(address => !trusted.has(address))
  const rows = unsure.length === 0 ? [] : await findRecipients(db, ownerId(project), unsure)
  const known = new Set(rows.filter(row => row.confirmed_at !== null).map(row => row.address))
  const isConfirmed = (address: string) => trusted.has(lower(address)) || known.has(lower(address))
  return {
    confirmed: wanted.filter(isConfirmed),
    pending: wanted.filter(address => !isConfirmed(address)),
  }
}

/** Sends the link to every address that has not confirmed yet. `about` says what the emails are about. */
export async function askToConfirm(
  platform: FormMailParts,
  owner: Owner & { name: string },
  notify: string,
  about: string,
): Promise<void> {
  const { mailer, store, clock, urls } = platform
  if (!mailer.isConfigured) return
  for (const to of (await recipientsOf(platform, owner, notify)).pending) {
    await requireMail(platform, { ownerId: ownerId(owner), to, recipient: 'stranger' })
    const secret = newSecret()
    await askRecipient(store.db, {
      owner_id: ownerId(owner),
      address: lower(to),
      token_hash: sha256(secret),
      asked_at: clock.now(),
    })
    await mailer.send({
      to,
      subject: `Confirm emails from ${owner.name}`,
      text: `Somebody asked for emails to this address about ${about}.

Confirm that you want them: ${urls.api}/confirm/${secret}

If you do nothing, you get no further email.
`,
    })
  }
}

/** The address behind a link, confirmed or not. */
export async function addressToConfirm(platform: Pick<Platform, 'store'>, secret: string): Promise<string> {
  const row = await findAsked(platform.store.db, sha256(secret))
  if (!row) throw noSuchLink()
  return row.address
}

/** Also sends the emails that waited for the confirmation. */
export async function confirmAddress(platform: Rows, secret: string): Promise<string> {
  const { store, clock } = platform
  const row = await findAsked(store.db, sha256(secret))
  if (!row) throw noSuchLink()
  await confirmRecipient(store.db, row.token_hash, clock.now())
  await sendWaiting(store.db, row, clock.now())
  return row.address
}

/**
 * An account has confirmed its own new address. It goes on getting the emails of its forms and of those of its orgs, without a
 * second link.
 */
export async function confirmOwnAddress(
  { clock }: Pick<Platform, 'clock'>,
  tx: Tx,
  accountId: string,
  email: string,
): Promise<void> {
  const now = clock.now()
  const owners = [accountId, ...(await ownedOrgs(tx, accountId))]
  const rows = owners.map(owner => ({
    owner_id: owner,
    address: lower(email),
    // The column is unique. No link has this hash.
    token_hash: sha256(newSecret()),
    asked_at: now,
    confirmed_at: now,
  }))
  await insertConfirmed(tx, rows)
  for (const row of rows) await sendWaiting(tx, row, now)
}

/** Sends the emails that waited for the confirmation of this address. */
async function sendWaiting(
  db: Db,
  { owner_id, address }: Pick<MailRecipientRow, 'owner_id' | 'address'>,
  now: number,
): Promise<void> {
  for (const key of await formsNotifying(db, owner_id, address)) await askForMail(db, key, now)
}

const lower = (address: string): string => address.toLowerCase()

const noSuchLink = (): Fault =>
  new Fault('not_found', 'This link is unknown, or a newer one was sent. Use the link of the latest email.')
