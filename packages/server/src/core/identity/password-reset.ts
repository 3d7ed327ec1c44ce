// A new password for people who forgot theirs: a link by email, which works once and for an hour. The link is signed, and its
// signature covers the present password, so a new password ends it and no row has to be kept.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { rateLimits } from '@svc/contract'
import { hourMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { accountsToReset, findAccountById } from '../../store/identity/accounts.ts'
import type { AccountRow } from '../../store/tables.ts'
import { enqueue } from '../base/jobs.ts'
import type { Platform, Rows, Vault } from '../base/platform.ts'
import { spend } from '../base/rate-limit.ts'
import { replacePassword } from './password-change.ts'
import { hashPassword } from './passwords.ts'

const linkMs = hourMs

/**
 * Queues the email. Does the same for every login and address, known or not, so that neither the answer nor its time says
 * whether there is an account.
 */
export async function askForPassword(
  { store, clock, mailer }: Rows & Pick<Platform, 'mailer'>,
  login: string,
): Promise<void> {
  if (!mailer.isConfigured)
    throw new Fault(
      'unavailable',
      'This platform sends no email. Its operator can set a new password: svcd users passwd <login>',
    )
  await enqueue(store.db, 'password-mail', { login: login.trim().toLowerCase() }, { now: clock.now() })
}

/** Run by the job queue. `login` is a login or an email address, which several accounts may have. */
export async function sendPasswordMail(
  platform: Rows & Vault & Pick<Platform, 'domain' | 'mailer' | 'urls'>,
  login: string,
): Promise<void> {
  const { mailer, store, urls, domain } = platform
  if (!mailer.isConfigured) return
  for (const account of await accountsToReset(store.db, login)) {
    const { retryAfter } = await spend(platform, `password mail ${account.id}`, rateLimits.passwordMail)
    if (retryAfter !== undefined || account.email === null) continue
    const text = `Somebody, probably you, asked for a new password of the account ${account.login} on ${domain}.

Choose it here: ${urls.dashboard}/reset-password#reset=${tokenFor(platform, account)}

The link works once, for an hour. If this was not you, ignore this email: your password stays as it is.
`
    if (!(await mailer.send({ to: account.email, subject: `A new password for svc on ${domain}`, text })))
      throw new Error('the mail server did not accept an email for a new password')
  }
}

/** Ends all sessions of the dashboard, and revokes the tokens if asked. An authenticator app is still needed to sign in. */
export async function resetPassword(
  platform: Rows & Vault,
  input: { token: string; new_password: string; revoke_tokens?: boolean | undefined },
  ip: string,
): Promise<{ ok: true; login: string; sessions_ended: number; tokens_revoked: number }> {
  const account = await accountOf(platform, input.token)
  const hash = await hashPassword(input.new_password, account.id)
  const options = { revokeTokens: input.revoke_tokens, by: { ip } }
  const { sessionsEnded, tokensRevoked } = await replacePassword(platform, account, hash, options, spentLink)
  return {
    ok: true,
    login: account.login,
    sessions_ended: sessionsEnded,
    tokens_revoked: tokensRevoked,
  }
}

async function accountOf(platform: Rows & Vault, token: string): Promise<AccountRow> {
  const [id = '', until = '', signature = ''] = token.split('.')
  const account = await findAccountById(platform.store.db, id)
  const isRight =
    account !== undefined &&
    account.disabled_at === null &&
    account.password_hash !== null &&
    Number(until) > platform.clock.now() &&
    isSame(signature, signatureOf(platform, account, until))
  if (!isRight) throw spentLink()
  return account
}

const tokenFor = (platform: Pick<Platform, 'clock' | 'keyring'>, account: AccountRow): string => {
  const until = String(platform.clock.now() + linkMs)
  return [account.id, until, signatureOf(platform, account, until)].join('.')
}

const signatureOf = (
  { keyring }: Pick<Platform, 'keyring'>,
  { id, password_hash, email }: AccountRow,
  until: string,
): string =>
  createHmac('sha256', keyring.current.derive('password reset').reveal())
    .update(JSON.stringify([id, password_hash, email, until]))
    .digest('base64url')

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const spentLink = (): Fault =>
  new Fault('not_found', 'This link was used or has expired. Ask for a new one on the sign-in page.')
