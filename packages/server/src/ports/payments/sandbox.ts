// Payments without money, for trying things out. The payment page is svcd's own, and the customer picks a test card there.

import { hourMs } from '@svc/contract/durations'
import { newSecret, sha256 } from '../../lib/ids.ts'
import type { Payments } from './port.ts'

export const sandboxPayments = (pageUrl: (secret: string) => string): Payments => ({
  name: 'sandbox',
  minimumCents: 1,
  pageMs: hourMs,
  async openPage() {
    const secret = newSecret()
    return { url: pageUrl(secret), ref: null, sessionHash: sha256(secret) }
  },
  check: async () => undefined,
  closePage: async () => undefined,
  // The page itself stores the result, so there is nothing to look up.
  async lookUp() {
    return { status: 'open' }
  },
  async charge(_order, { method }) {
    return method === 'pays'
      ? { status: 'paid' }
      : { status: 'declined', reason: 'The card of the sandbox declines later charges.' }
  },
  refund: async () => undefined,
  readEvent: () => undefined,
})
