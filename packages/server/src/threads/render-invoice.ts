// Makes the PDFs of invoices in a thread of their own, one at a time.
import type { InvoiceContent } from '../core/billing/invoices/content.ts'
import type { RenderInvoice } from '../core/billing/invoices/deliver.ts'
import { programFile } from '../program-files.ts'
import { Thread, workerThread } from './thread.ts'

interface InvoiceRenderer {
  render: RenderInvoice
  close(): Promise<void>
}

export function createInvoiceRenderer(): InvoiceRenderer {
  const entry = programFile('threads/render-invoice-thread.js')
  const thread = new Thread<InvoiceContent, Uint8Array>({
    start: () => workerThread(entry, undefined),
    concurrency: 1,
  })
  return { render: content => thread.call(content), close: () => thread.close() }
}
