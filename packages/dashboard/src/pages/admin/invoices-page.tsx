// The invoices and credit notes of all accounts and orgs, also of deleted ones.
import type { AdminInvoice } from '@svc/contract'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { EndlessList } from '../../components/endless-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { formatDay } from '../../format.ts'
import { useWork } from '../../use-work.ts'
import { formatExactly } from '../billing/amounts.ts'
import rows from '../orgs/rows.module.css'
import styles from './admin.module.css'
import { exportInvoices, invoiceList, openInvoice } from './admin.ts'
import { AdminLayout } from './admin-layout.tsx'

export function AdminInvoicesPage() {
  return (
    <AdminLayout tab="Invoices" actions={<Task name="Export CSV" run={exportInvoices} />}>
      <Loaded resource={invoiceList.use()} rows={5} label="Loading invoices">
        {page =>
          page.rows.length === 0 ? (
            <Empty>No invoices yet. Each payment gets one.</Empty>
          ) : (
            <>
              <Rows columns="minmax(0, 1fr) 10rem 5rem" label="Invoices" end="side">
                {page.rows.map(invoice => (
                  <InvoiceRow key={invoice.id} invoice={invoice} />
                ))}
              </Rows>
              <EndlessList list={invoiceList} shown={page} />
            </>
          )
        }
      </Loaded>
    </AdminLayout>
  )
}

function InvoiceRow({ invoice }: { invoice: AdminInvoice }) {
  const { number, kind, credits, created_at, total_cents, buyer, owner, owner_id, has_document } = invoice
  return (
    <Row>
      <div>
        <p className={rows.name}>
          {number} <Tag>{buyer.name}</Tag>
        </p>
        <p className={styles.trouble}>
          {owner ?? `${owner_id} (deleted)`}
          {kind === 'credit_note' && `, credit note for ${credits}`}
        </p>
      </div>
      <p className={styles.soft}>
        {formatExactly(total_cents)}
        <span className={styles.since}>{formatDay(created_at)}</span>
      </p>
      <div className={styles.actions}>
        {has_document && (
          <Task name="PDF" label={`PDF of ${number}`} run={() => openInvoice(invoice)} small />
        )}
      </div>
    </Row>
  )
}

interface TaskProps {
  name: string
  label?: string
  run: () => Promise<void>
  small?: boolean
}

function Task({ name, label, run, small }: TaskProps) {
  const work = useWork()
  return (
    <Button
      {...(small && { size: 'small' })}
      busy={work.busy}
      aria-label={label}
      onClick={() => work.run(run)}
    >
      {name}
    </Button>
  )
}
