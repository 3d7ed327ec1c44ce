// Buys a plan on a payment page of the provider, which also stores the card for renewals.
import { Fault } from '../../lib/fault.ts'
import { type Page, PaymentRefused } from '../../ports/payments/port.ts'
import { movePayment, notePage, paymentsOf, saveCustomer } from '../../store/billing/payments.ts'
import type { Tx } from '../../store/store.ts'
import type { PaymentRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Plan } from '../base/catalog.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { requirePayments } from './enabled.ts'
import { lockOwner } from './owners.ts'
import { customerOf, notePayment, orderOf, refusedByProvider } from './payments.ts'
import { endIfCancelled } from './subscriptions.ts'

/** Who is billed. */
export interface BilledOwner {
  id: string
  /** `undefined` for an account. */
  org: { id: string; name: string } | undefined
}

export function paidPlan({ catalog }: Pick<Platform, 'catalog'>, id: string): Plan {
  const plan = catalog.get(id)
  if (plan && plan.priceCents > 0) return plan
  const ids = [...catalog.values()].filter(({ priceCents }) => priceCents > 0).map(plan => `'${plan.id}'`)
  throw new Fault('invalid_request', `plan: must be one of ${ids.join(', ')}, not '${id.slice(0, 50)}'`)
}

/** Opens a payment page. An earlier one that was not paid on is closed. */
export async function checkout(
  platform: Rows & Pick<Platform, 'catalog' | 'payments' | 'urls'>,
  caller: Caller,
  owner: BilledOwner,
  planId: string,
): Promise<{ checkout_url: string }> {
  requirePayments(platform)
  const plan = paidPlan(platform, planId)
  const { payment, former } = await platform.store.transact(async tx => {
    await requireOwner(tx, owner)
    const subscription = await endIfCancelled(platform, tx, owner.id)
    if (subscription?.state === 'active' || subscription?.state === 'cancelling')
      throw new Fault(
        'subscription_active',
        subscription.state === 'active'
          ? 'There is a paid plan already. Change it with change-plan.'
          : 'The plan is cancelled but still paid for. Resume it, then change it with change-plan.',
      )
    await requireNoCharge(tx, owner.id)
    const entry = { action: 'billing.checkout', target: plan.id, orgId: owner.org?.id } as const
    if (owner.org) await audit(platform, tx, caller, entry)
    return await replaceOpenPages(platform, tx, {
      owner_id: owner.id,
      kind: 'checkout',
      plan: plan.id,
      net_cents: plan.priceCents,
    })
  })
  const { url } = await openPage(platform, payment, owner)
  await closePages(platform, former)
  return { checkout_url: url }
}

/** The page of the provider where the customer changes the card. */
export async function openPortal(
  platform: Rows & Pick<Platform, 'catalog' | 'payments' | 'urls'>,
  owner: BilledOwner,
): Promise<{ portal_url: string }> {
  const payments = requirePayments(platform)
  const customer = await customerOf(platform.store.db, owner.id)
  if (customer.method === null) throw new Fault('no_subscription', 'There is no card yet. Buy a plan first.')
  if (payments.portal)
    return { portal_url: await payments.portal(customer, backTo(platform, owner)).catch(unanswered) }
  const { payment } = await platform.store.transact(async tx => {
    await requireOwner(tx, owner)
    return await replaceOpenPages(platform, tx, { owner_id: owner.id, kind: 'card', plan: '', net_cents: 0 })
  })
  return { portal_url: (await openPage(platform, payment, owner)).url }
}

async function replaceOpenPages(
  platform: Pick<Platform, 'clock' | 'payments'>,
  tx: Tx,
  payment: Pick<PaymentRow, 'owner_id' | 'kind' | 'plan' | 'net_cents'>,
): Promise<{ payment: PaymentRow; former: PaymentRow[] }> {
  const now = platform.clock.now()
  const former = await paymentsOf(tx, payment.owner_id, 'open')
  for (const { id } of former)
    await movePayment(tx, id, ['open'], { status: 'expired', settled_at: now, due_at: null })
  const due_at = now + requirePayments(platform).pageMs
  return {
    payment: await notePayment(platform, tx, { ...payment, status: 'open', period: null, due_at }),
    former,
  }
}

async function openPage(
  platform: Pick<Platform, 'catalog' | 'payments' | 'store' | 'urls'>,
  payment: PaymentRow,
  owner: BilledOwner,
): Promise<Page> {
  const { db } = platform.store
  const back = backTo(platform, owner)
  const customer = await customerOf(db, owner.id)
  const page = await requirePayments(platform)
    .openPage(orderOf(platform, payment), customer, { paid: `${back}?payment=done`, cancelled: back })
    .catch(async cause => {
      await movePayment(db, payment.id, ['open'], { status: 'expired', due_at: null })
      return unanswered(cause)
    })
  await saveCustomer(db, owner.id, { customer_ref: page.customer })
  await notePage(db, payment.id, { provider_ref: page.ref, session_hash: page.sessionHash })
  return page
}

/** If a page cannot be closed and is paid later, the money is refunded. */
async function closePages(
  platform: Pick<Platform, 'catalog' | 'payments'>,
  former: PaymentRow[],
): Promise<void> {
  for (const payment of former)
    await requirePayments(platform)
      .closePage(orderOf(platform, payment))
      .catch(() => undefined)
}

/** The owner's page in the dashboard. */
const backTo = ({ urls }: Pick<Platform, 'urls'>, { org }: BilledOwner): string =>
  `${urls.dashboard}${org ? `/orgs/${org.name}` : ''}/billing`

const unanswered = (cause: unknown): never => {
  if (cause instanceof PaymentRefused) throw refusedByProvider(cause)
  throw new Fault(
    'payment_unavailable',
    'The payment provider does not answer. Try again in a few minutes.',
    { cause },
  )
}

export async function requireOwner(tx: Tx, owner: BilledOwner): Promise<void> {
  if (!(await lockOwner(tx, owner.id)))
    throw new Fault('not_found', `There is no org '${owner.org?.name}' that you belong to.`)
}

export async function requireNoCharge(tx: Tx, ownerId: string): Promise<void> {
  if ((await paymentsOf(tx, ownerId, 'charging')).length > 0)
    throw new Fault('payment_pending', 'A payment is under way. Try again in a few minutes.')
}
