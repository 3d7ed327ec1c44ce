// The payment page of the sandbox, where a person chooses to pay or to decline. The secret in its URL works once.
import { Fault } from '../../lib/fault.ts'
import { sha256 } from '../../lib/ids.ts'
import { findPaymentBySession } from '../../store/billing/payments.ts'
import { findSubscription, saveSubscription } from '../../store/billing/subscriptions.ts'
import type { PaymentRow } from '../../store/tables.ts'
import type { BillingParts, Platform, Rows } from '../base/platform.ts'
import { billingPath, lockOwner, titleOfOwner } from './owners.ts'
import { orderOf, settle } from './payments.ts'

export interface SandboxPage {
  text: string
  net_cents: number
  total_cents: number
  /** Whether the page only stores a card and charges nothing. */
  isCard: boolean
  who: string
  back: string
}

export const sandboxChoices = ['pay', 'pay-once', 'decline'] as const
type SandboxChoice = (typeof sandboxChoices)[number]

export async function sandboxPage(
  platform: Rows & Pick<Platform, 'billing' | 'catalog' | 'payments' | 'urls'>,
  secret: string,
): Promise<SandboxPage> {
  const payment = await openPayment(platform, secret)
  const { owner_id, net_cents, total_cents, kind } = payment
  const { db } = platform.store
  const who = await titleOfOwner(db, owner_id)
  return {
    text: orderOf(platform, payment).text,
    net_cents,
    total_cents,
    isCard: kind === 'card',
    who,
    back: platform.urls.dashboard + (await billingPath(db, owner_id)),
  }
}

/** Returns the URL that the browser is sent to. */
export async function decideOnSandbox(
  platform: BillingParts & Pick<Platform, 'urls'>,
  secret: string,
  choice: SandboxChoice,
): Promise<string> {
  const payment = await openPayment(platform, secret)
  const { back } = await sandboxPage(platform, secret)
  const method = choice === 'pay' ? 'pays' : 'declines'
  const result =
    choice === 'decline' ? ({ status: 'expired' } as const) : ({ status: 'paid', method } as const)
  if (!(await settle(platform, payment.id, result))) throw used()
  if (payment.kind === 'card' && choice !== 'decline') await retryNow(platform, payment.owner_id)
  return choice === 'decline' ? `${back}?payment=declined` : `${back}?payment=done`
}

/** A renewal that waits for its next try is charged at once with the new card. */
async function retryNow(platform: Rows, ownerId: string): Promise<void> {
  await platform.store.transact(async tx => {
    await lockOwner(tx, ownerId)
    const row = await findSubscription(tx, ownerId)
    if (row?.state === 'past_due') await saveSubscription(tx, { ...row, due_at: platform.clock.now() })
  })
}

async function openPayment(
  platform: Rows & Pick<Platform, 'billing' | 'payments'>,
  secret: string,
): Promise<PaymentRow> {
  const payment =
    platform.billing === 'sandbox' ? await findPaymentBySession(platform.store.db, sha256(secret)) : undefined
  const pageMs = platform.payments?.pageMs ?? 0
  if (payment?.status !== 'open' || payment.created_at + pageMs <= platform.clock.now()) throw used()
  return payment
}

const used = (): Fault =>
  new Fault(
    'not_found',
    'This payment page was used, has expired or never existed. Start again from the billing page.',
  )
