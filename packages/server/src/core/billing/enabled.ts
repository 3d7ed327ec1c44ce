// Instances without billing have no billing routes.
import { Fault } from '../../lib/fault.ts'
import type { Payments } from '../../ports/payments/port.ts'
import type { Platform } from '../base/platform.ts'

const off = (): Fault => new Fault('not_found', 'Billing is off on this instance: nothing is sold here.')

export function requireBilling({ billing }: Pick<Platform, 'billing'>): void {
  if (billing === 'off') throw off()
}

export function requirePayments({ payments }: Pick<Platform, 'payments'>): Payments {
  if (!payments) throw off()
  return payments
}
