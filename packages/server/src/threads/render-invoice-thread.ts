// The thread that makes the PDFs of invoices.
import { readFile } from 'node:fs/promises'
import type { InvoiceContent } from '../core/billing/invoices/content.ts'
import { renderInvoicePdf } from '../core/billing/invoices/pdf/render.ts'
import { programFile } from '../program-files.ts'
import { answerThreadRequests } from './answer-requests.ts'

const font = (name: string) => readFile(programFile(`../fonts/${name}.ttf`))
const fonts = { regular: await font('Inter-Regular'), semibold: await font('Inter-SemiBold') }

answerThreadRequests(5, (content: InvoiceContent) => renderInvoicePdf(content, fonts))
