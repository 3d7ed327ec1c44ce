// Says that pushes do not go live, as after a rollback, and ends that.
import type { ProductionLock, ProjectDetail } from '@svc/contract'
import { call } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { notify } from '../../../components/toasts.tsx'
import { writeResource } from '../../../resource.ts'
import { useWork } from '../../../use-work.ts'
import { detailKey } from './detail.ts'
import styles from './production-lock.module.css'

interface ProductionLockNoticeProps {
  project: ProjectDetail
  lock: ProductionLock
}

export function ProductionLockNotice({ project, lock }: ProductionLockNoticeProps) {
  const { name, repo } = project
  const { busy, run } = useWork()
  const unlock = async () => {
    await call('DELETE /projects/:name/production-lock', { params: { name } })
    writeResource<ProjectDetail>(detailKey(name), shown => ({ ...shown, production_lock: null }))
    notify({ tone: 'ok', text: 'Production is unlocked. The next push goes live.' })
  }
  return (
    <Notice tone="warning">
      <div className={styles.line}>
        <p>
          Production is locked: pushes to {repo?.branch ?? 'the production branch'} are built, but do not go
          live. {lock.by ?? 'Someone'} rolled back or locked it <TimeAgo at={lock.at} />.
        </p>
        <Button size="small" busy={busy} onClick={() => run(unlock)}>
          Unlock
        </Button>
      </div>
    </Notice>
  )
}
