import type { Share } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { useEffect, useState } from 'react'
import { FromTerminal } from '../../components/from-terminal.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageHeader, PageTitle } from '../../components/page.tsx'
import { Shell } from '../../components/shell.tsx'
import { DropZone } from '../../drop/drop-zone.tsx'
import { bareUrl } from '../../format.ts'
import { href } from '../../paths.ts'
import { isUnderWay, shareUpload, useUpload } from '../../upload/uploads.ts'
import { type LiveUpload, UploadPanel } from '../deployments/upload-panel.tsx'
import { DeleteShareDialog } from './delete-share-dialog.tsx'
import { shareList } from './list.ts'
import { ShareRows } from './share-rows.tsx'
import styles from './shares-page.module.css'
import { TtlChoice } from './ttl-choice.tsx'

export function SharesPage() {
  const shares = shareList.use()
  const { data: page, refresh } = shares
  const upload = useUpload(shareUpload)
  const [days, setDays] = useState<number>(limits.shareDays.default)
  const [deleting, setDeleting] = useState<Share>()
  const isLive = upload?.step === 'live'
  useEffect(() => {
    if (isLive) void refresh()
  }, [isLive, refresh])

  return (
    <Shell crumbs={[{ label: 'Shares', href: href('/shares') }]}>
      <PageHeader>
        <PageTitle title="Temporary shares" />
        <p className={styles.lead}>
          Show a site to someone for a few days, without a project. Anyone who has the link can open it.
        </p>
      </PageHeader>
      <div className={styles.parts}>
        {upload && <UploadPanel project={shareUpload} upload={upload} outcome={sendTheLink} />}
        {!isUnderWay(upload) && (
          <>
            <TtlChoice days={days} onChange={setDays} />
            <DropZone compact={page !== undefined && page.rows.length > 0} target={{ kind: 'share', days }} />
          </>
        )}
        {page?.rows.length === 0 && (
          <FromTerminal words="Or from your terminal:" command="svc share ./dist" />
        )}
        <Loaded resource={shares} rows={2} label="Loading shares">
          {page => (
            <>
              {page.rows.length > 0 && <ShareRows shares={page.rows} onDelete={setDeleting} />}
              <MoreButton list={shareList} shown={page} />
            </>
          )}
        </Loaded>
      </div>
      {deleting && <DeleteShareDialog share={deleting} onClose={() => setDeleting(undefined)} />}
    </Shell>
  )
}

const sendTheLink = ({ url }: LiveUpload) => `Send this link: ${bareUrl(url)}`
