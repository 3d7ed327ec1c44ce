// Limits the emails of one account or org and those to one address, so that the platform cannot be abused to send spam.

import { rateLimits } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { sha256 } from '../../lib/ids.ts'
import { allowancesOf } from './plans.ts'
import type { PlanSettings, Platform, Rows } from './platform.ts'
import { type RateRule, spend } from './rate-limit.ts'

/** `stranger`: an address that did not ask for mail, such as that of an invite. */
type Recipient = 'confirmed' | 'stranger'

const toOne: Record<Recipient, RateRule> = {
  confirmed: rateLimits.mailToConfirmed,
  stranger: rateLimits.mailToStranger,
}

/** Counts one email. If the limit is reached, returns the seconds to wait. */
export async function spendMail(
  platform: PlanSettings & Rows,
  mail: { ownerId: string; to: string; recipient: Recipient },
): Promise<number | undefined> {
  const { mailsPerDay } = await allowancesOf(platform, platform.store.db, mail.ownerId)
  const limits: Limit[] = [
    [`mail to ${mail.recipient} ${sha256(mail.to.toLowerCase())}`, toOne[mail.recipient]],
    [`mail of ${mail.ownerId}`, { limit: mailsPerDay, windowMs: dayMs }],
  ]
  if (mail.recipient === 'stranger')
    limits.push([`mail to strangers of ${mail.ownerId}`, rateLimits.strangers])
  return await spendEach(platform, limits)
}

/**
 * Counts one email about a change to how an account signs in, and returns whether it may be sent. No other email counts against
 * these limits. Otherwise a thief of an account could use them up, and its owner would not get the email about the theft.
 */
export async function spendSecurityMail(
  platform: Rows,
  { accountId, to }: { accountId: string; to: string },
): Promise<boolean> {
  const retryAfter = await spendEach(platform, [
    [`security mail of ${accountId}`, rateLimits.securityMail],
    [`security mail to ${sha256(to.toLowerCase())}`, rateLimits.securityMailToOne],
  ])
  return retryAfter === undefined
}

type Limit = [key: string, rule: RateRule]

/** Counts one email against each limit. If one is reached, returns the seconds to wait. */
async function spendEach(platform: Rows, limits: Limit[]): Promise<number | undefined> {
  for (const [key, rule] of limits) {
    const { retryAfter } = await spend(platform, key, rule)
    if (retryAfter !== undefined) return retryAfter
  }
  return undefined
}

/** Throws if the limit is reached. For emails that a person requests. */
export async function requireMail(
  platform: PlanSettings & Rows & Pick<Platform, 'mailer'>,
  mail: Parameters<typeof spendMail>[1],
): Promise<void> {
  if (!platform.mailer.isConfigured) return
  const retryAfter = await spendMail(platform, mail)
  if (retryAfter === undefined) return
  const { limit } = rateLimits.mailToStranger
  const hours = Math.ceil(retryAfter / 3600)
  throw new Fault(
    'rate_limit_exceeded',
    `Too many emails: at most ${limit} a day to one address, and ${rateLimits.strangers.limit} a day from one account to people who did not ask for them. Try again in ${hours} hour${hours > 1 ? 's' : ''}.`,
    { retryAfter },
  )
}
