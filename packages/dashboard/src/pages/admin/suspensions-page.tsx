import type { AdminSuspension } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { EndlessList } from '../../components/endless-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { notify } from '../../components/toasts.tsx'
import rows from '../orgs/rows.module.css'
import styles from './admin.module.css'
import { AdminLayout } from './admin-layout.tsx'
import { SuspendDialog } from './suspend-dialog.tsx'
import { resume, suspensionList } from './suspensions.ts'

export function AdminSuspensionsPage() {
  const [suspending, setSuspending] = useState(false)
  const [resuming, setResuming] = useState<AdminSuspension>()
  return (
    <AdminLayout tab="Suspensions" actions={<Button onClick={() => setSuspending(true)}>Suspend…</Button>}>
      <Loaded resource={suspensionList.use()} rows={5} label="Loading suspensions">
        {page =>
          page.rows.length === 0 ? (
            <Empty>No project and no account is suspended.</Empty>
          ) : (
            <>
              <Rows columns="minmax(0, 1fr) 15rem 13.5rem" label="Suspensions" end="below">
                {page.rows.map(row => (
                  <SuspensionRow
                    key={`${row.kind} ${row.name}`}
                    row={row}
                    onResume={() => setResuming(row)}
                  />
                ))}
              </Rows>
              <EndlessList list={suspensionList} shown={page} />
            </>
          )
        }
      </Loaded>
      {suspending && <SuspendDialog onClose={() => setSuspending(false)} />}
      {resuming && (
        <ConfirmDialog
          title={`Resume ${resuming.name}?`}
          action="Resume"
          run={async () => {
            await resume(resuming)
            notify({ tone: 'ok', text: `${resuming.name} is online again.` })
          }}
          onClose={() => setResuming(undefined)}
        >
          <p>Its sites are online again at once, and its owner can deploy.</p>
        </ConfirmDialog>
      )}
    </AdminLayout>
  )
}

function SuspensionRow({ row, onResume }: { row: AdminSuspension; onResume: () => void }) {
  const { kind, name, status, reason, at } = row
  return (
    <Row>
      <div>
        <p className={rows.name}>
          {name} <Tag>{kind === 'project' ? 'Project' : 'Account'}</Tag>
        </p>
        <p className={styles.soft}>{reason}</p>
      </div>
      <p className={styles.soft}>
        {status}, since <TimeAgo at={at} />
      </p>
      <div className={styles.actions}>
        <Button size="small" aria-label={`Resume ${name}`} onClick={onResume}>
          Resume
        </Button>
      </div>
    </Row>
  )
}
