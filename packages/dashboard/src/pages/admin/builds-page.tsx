import type { AdminBuild } from '@svc/contract'
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
import { buildList, cancelBuild } from './admin.ts'
import { AdminLayout } from './admin-layout.tsx'

const words: Record<AdminBuild['status'], string> = {
  queued: 'Queued',
  building: 'Started',
  failed: 'Failed',
}

export function AdminBuildsPage() {
  const [cancelling, setCancelling] = useState<AdminBuild>()
  return (
    <AdminLayout tab="Builds">
      <Loaded resource={buildList.use()} rows={5} label="Loading builds">
        {page =>
          page.rows.length === 0 ? (
            <Empty>No build waits or runs, and none failed in the last 24 hours.</Empty>
          ) : (
            <>
              <Rows columns="minmax(0, 1fr) 15rem 13.5rem" label="Builds" end="below">
                {page.rows.map(build => (
                  <BuildRow key={build.id} build={build} onCancel={() => setCancelling(build)} />
                ))}
              </Rows>
              <EndlessList list={buildList} shown={page} />
            </>
          )
        }
      </Loaded>
      {cancelling && (
        <ConfirmDialog
          title={`Cancel the build of ${cancelling.project}?`}
          action="Cancel build"
          keep="Keep it"
          run={async () => {
            await cancelBuild(cancelling)
            notify({ tone: 'ok', text: `The build of ${cancelling.project} was cancelled.` })
          }}
          onClose={() => setCancelling(undefined)}
        >
          <p>The site stays as it is. The activity of the project names you.</p>
        </ConfirmDialog>
      )}
    </AdminLayout>
  )
}

function BuildRow({ build, onCancel }: { build: AdminBuild; onCancel: () => void }) {
  const { id, project, branch, status, created_at, started_at, finished_at, error } = build
  const since = (status === 'failed' ? finished_at : status === 'building' ? started_at : null) ?? created_at
  return (
    <Row>
      <div>
        <p className={rows.name}>
          {project} <Tag>{branch}</Tag>
        </p>
        {error && <p className={styles.trouble}>{error}</p>}
      </div>
      <p className={styles.soft}>
        {words[status]} <TimeAgo at={since} />
      </p>
      <div className={styles.actions}>
        {status !== 'failed' && (
          <Button size="small" aria-label={`Cancel the build ${id} of ${project}`} onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </Row>
  )
}
