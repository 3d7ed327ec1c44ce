// The thread that makes the PDFs of invoices.
import { readFile } from 'node:fs/promises'
import type { InvoiceContent } from '../core/billing/invoices/content.ts'
import { renderInvoicePdf } from '../core/billing/invoices/pdf/render.ts'
import { serve } from './serve.ts'

const font = (name: string) => readFile(new URL(`../../fonts/${name}.ttf`, import.meta.url))
const fonts = { regular: await font('Inter-Regular'), semibold: await font('Inter-SemiBold') }

serve(5, (content: InvoiceContent) => renderInvoicePdf(content, fonts))
