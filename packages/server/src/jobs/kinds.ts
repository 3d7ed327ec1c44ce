// The kinds of jobs and what each does. A kind without a function does not compile. One that answers a time is run again
// then.

import { deliverInvoice, type RenderInvoice } from '../core/billing/invoices/deliver.ts'
import { sendBillingMail } from '../core/billing/mails.ts'
import { variantsId } from '../core/deployments/archive/variants.ts'
import { sendFormMail } from '../core/forms/notification.ts'
import type { Platform } from '../core/platform/platform.ts'
import { removeDiscardedPacks } from '../core/projects/removal.ts'
import { storedAmong } from '../store/deployments/deployments.ts'

export interface JobContext {
  platform: Platform
  /** Makes the compressed variants of a deployment; ends early when the signal fires. */
  compress(id: string, signal: AbortSignal): Promise<void>
  /** Makes the PDF of an invoice. */
  renderInvoice: RenderInvoice
  signal: AbortSignal
}

type JobKind = 'compress' | 'remove-packs' | 'form-mail' | 'billing-mail' | 'invoice'

export const jobKinds: Record<JobKind, (context: JobContext, key: string) => Promise<unknown>> = {
  async compress({ platform, compress, signal }, id) {
    const isStored = async () => (await storedAmong(platform.store.db, [id])).has(id)
    if (!(await isStored())) return
    await compress(id, signal)
    // It may have been deleted meanwhile, and its variants must not outlive it.
    if (!(await isStored())) await platform.packs.delete(variantsId(id))
  },
  'billing-mail': ({ platform }, id) => sendBillingMail(platform, id),
  'form-mail': ({ platform }, form) => sendFormMail(platform, form),
  invoice: ({ platform, renderInvoice }, id) => deliverInvoice(platform, renderInvoice, id),
  'remove-packs': ({ platform, signal }) => removeDiscardedPacks(platform, signal),
}
