// The invoices, newest first, each with its PDF.
import type { Invoice } from '@svc/contract'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { formatDay } from '../../format.ts'
import { useWork } from '../../use-work.ts'
import { formatExactly } from './amounts.ts'
import type { BillingCalls } from './billing.ts'
import styles from './invoices.module.css'

export function Invoices({ invoices, calls }: { invoices: Invoice[]; calls: BillingCalls }) {
  return (
    <Card title="Invoices" lead={invoices.length === 0 ? 'None yet. Each payment gets one.' : undefined}>
      {invoices.length > 0 && (
        <Rows columns="minmax(0, 1fr) auto 6rem auto" end="side">
          {invoices.map(invoice => (
            <Row key={invoice.id}>
              <span className={styles.number}>
                {invoice.number}
                {invoice.kind === 'credit_note' && <span className={styles.soft}> Credit note</span>}
              </span>
              <span className={styles.soft}>{formatDay(invoice.created_at)}</span>
              <span className={styles.total}>{formatExactly(invoice.total_cents)}</span>
              <Pdf invoice={invoice} calls={calls} />
            </Row>
          ))}
        </Rows>
      )}
    </Card>
  )
}

function Pdf({ invoice, calls }: { invoice: Invoice; calls: BillingCalls }) {
  const { busy, run } = useWork()
  const open = async () => location.assign((await calls.invoicePdf(invoice.id)).url)
  if (!invoice.has_document) return <span className={styles.soft}>Being made</span>
  return (
    <Button
      size="small"
      busy={busy}
      aria-label={`PDF of invoice ${invoice.number}`}
      onClick={() => run(open)}
    >
      PDF
    </Button>
  )
}
