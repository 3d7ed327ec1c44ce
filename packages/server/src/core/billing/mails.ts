// Emails about billing. Each is queued in the transaction that causes it and sent by a job, so that it is sent exactly once.
import { newId } from '../../lib/ids.ts'
import { findMail, insertMail } from '../../store/billing/mails.ts'
import type { Tx } from '../../store/store.ts'
import { enqueue } from '../base/jobs.ts'
import { inEuros } from '../base/plans.ts'
import type { Platform } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { billingPath, emailFor, titleOfOwner } from './owners.ts'

type Details = Record<string, string | number>

interface NewMail {
  ownerId: string
  kind: keyof typeof texts
  /** Identifies the occasion. A second email with the same value is not sent. */
  once: string
  details: Details
}

export async function queueMail(platform: Pick<Platform, 'clock'>, tx: Tx, mail: NewMail): Promise<void> {
  const now = platform.clock.now()
  const { ownerId, kind, once, details } = mail
  const row = {
    id: newId('bml'),
    owner_id: ownerId,
    kind,
    once,
    details: JSON.stringify(details),
    created_at: now,
  }
  if (await insertMail(tx, row)) await enqueue(tx, 'billing-mail', { id: row.id }, { now })
}

interface MailFacts {
  /** The name of the account or org in the text. */
  who: string
  plan: string
  billingUrl: string
  details: Details
}

interface Text {
  subject: string
  body: string
}

const gigabytes = (bytes: number): string => `${Number((bytes / 1024 ** 3).toFixed(1))} GB`

const bandwidth = ({ who, plan, billingUrl, details }: MailFacts, share: string): string =>
  `${who} has used ${gigabytes(Number(details.used))} of the ${gigabytes(Number(details.allowed))} of bandwidth that ${plan ? `the plan ${plan} includes` : 'the operator allows'} this month: ${share}.

Your sites stay online. ${plan ? `A larger plan has more bandwidth: ${billingUrl}` : 'If you need more bandwidth, ask the operator of this instance.'}
`

const texts = {
  'payment-failed': ({ who, plan, billingUrl, details }): Text => ({
    subject: `The payment for ${who} failed`,
    body: `The renewal of the plan ${plan} for ${who} could not be charged.

We try again on ${isoTime(Number(details.retry_at)).slice(0, 10)}. To pay now or with another card, go to ${billingUrl}

Until then nothing changes. If the payment fails for a week, the plan ends and the limits of the free plan apply. Nothing is deleted.
`,
  }),
  lapsed: ({ who, plan, billingUrl }): Text => ({
    subject: `The plan ${plan} of ${who} has ended`,
    body: `The renewal of the plan ${plan} for ${who} could not be charged for a week, so the plan has ended. The limits of the free plan apply. Your sites stay online and nothing is deleted.

To get the plan back, go to ${billingUrl}
`,
  }),
  ended: ({ who, plan, billingUrl }): Text => ({
    subject: `The plan ${plan} of ${who} has ended`,
    body: `The plan ${plan} of ${who} was cancelled and has ended. The limits of the free plan apply. Your sites stay online and nothing is deleted.

To get the plan back, go to ${billingUrl}
`,
  }),
  refunded: ({ who, billingUrl, details }): Text => ({
    subject: `Your payment of ${inEuros(Number(details.cents))} is refunded`,
    body: `A payment of ${inEuros(Number(details.cents))} for ${who} was not needed: the plan was paid already, or the org is gone. The money goes back to the card it came from.

Billing: ${billingUrl}
`,
  }),
  'bandwidth-80': (occasion): Text => ({
    subject: `${occasion.who} has used 80% of its bandwidth`,
    body: bandwidth(occasion, 'more than 80%'),
  }),
  'bandwidth-100': (occasion): Text => ({
    subject: `${occasion.who} has used all of its bandwidth`,
    body: bandwidth(occasion, 'more than all of it'),
  }),
} as const satisfies Record<string, (facts: MailFacts) => Text>

/** Run by the job queue. An owner without an email address gets none. */
export async function sendBillingMail(
  platform: Pick<Platform, 'catalog' | 'mailer' | 'store' | 'urls'>,
  id: string,
): Promise<void> {
  const { db } = platform.store
  const row = await findMail(db, id)
  const to = row && (await emailFor(db, row.owner_id))
  if (!row || !to || !platform.mailer.isConfigured) return
  const details = JSON.parse(row.details) as Details
  const who = await titleOfOwner(db, row.owner_id)
  const { subject, body } = texts[row.kind as keyof typeof texts]({
    who,
    plan: platform.catalog.get(String(details.plan))?.name ?? String(details.plan ?? ''),
    billingUrl: platform.urls.dashboard + (await billingPath(db, row.owner_id)),
    details,
  })
  if (!(await platform.mailer.send({ to, subject, text: body })))
    throw new Error('the mail server did not accept an email about billing')
}
