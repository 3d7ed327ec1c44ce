// How an upload is going, from reading the files to the live address.
import { formatBytes } from '@svc/contract/bytes'
import type { ReactNode } from 'react'
import { Button, SiteButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Icon } from '../../components/icon.tsx'
import { Notice } from '../../components/notice.tsx'
import { formatCount } from '../../format.ts'
import { cancelUpload, dismissUpload, type Upload } from '../../upload/uploads.ts'
import styles from './upload-panel.module.css'

type UnderWay = Exclude<Upload, { step: 'live' | 'failed' }>

function words(upload: UnderWay): { title: string; detail: string } {
  if (upload.step === 'reading') return { title: 'Reading files', detail: '' }
  const site = `${formatCount(upload.files, 'file')}, ${formatBytes(upload.bytes)}`
  if (upload.step === 'publishing') return { title: 'Going live', detail: site }
  if (upload.step === 'packing') return { title: 'Packing', detail: site }
  return { title: 'Uploading', detail: `${formatBytes(upload.done)} of ${formatBytes(upload.total)}` }
}

function Progress({ project, upload }: { project: string; upload: UnderWay }) {
  const { title, detail } = words(upload)
  const share =
    upload.step === 'packing' || upload.step === 'sending' ? upload.done / upload.total : undefined
  return (
    <>
      <div className={styles.head}>
        <p className={styles.title}>
          <strong role="status">{title}</strong>
          <span>{detail}</span>
        </p>
        <Button size="small" onClick={() => cancelUpload(project)}>
          Cancel
        </Button>
      </div>
      <progress
        className={styles.progress}
        aria-label={title}
        max={1}
        {...(share !== undefined && { value: share })}
      />
    </>
  )
}

export type LiveUpload = Extract<Upload, { step: 'live' }>

interface LiveProps {
  project: string
  upload: LiveUpload
  children: ReactNode
}

function Live({ project, upload, children }: LiveProps) {
  return (
    <>
      <div className={styles.head}>
        <p className={styles.outcome} role="status">
          <Icon name="check" />
          <span>
            <strong>Live.</strong> {children}
          </span>
        </p>
        <div className={styles.buttons}>
          <CopyButton text={upload.url} label="Copy the address" />
          <SiteButton href={upload.url} size="small">
            Open site
          </SiteButton>
          <Button size="small" look="quiet" onClick={() => dismissUpload(project)}>
            Dismiss
          </Button>
        </div>
      </div>
      {upload.notices.length > 0 && (
        <Notice tone="warning">
          {upload.notices.map(notice => (
            <p key={notice}>{notice}</p>
          ))}
        </Notice>
      )}
    </>
  )
}

function Failed({ project, upload }: { project: string; upload: Extract<Upload, { step: 'failed' }> }) {
  return (
    <div className={styles.head}>
      <p className={`${styles.outcome} ${styles.failed}`} role="alert">
        <Icon name="alert" />
        <span>
          <strong>Nothing was deployed.</strong> {upload.message}
        </span>
      </p>
      <div className={styles.buttons}>
        {upload.retry && (
          <Button size="small" onClick={upload.retry}>
            Try again
          </Button>
        )}
        <Button size="small" look="quiet" onClick={() => dismissUpload(project)}>
          Dismiss
        </Button>
      </div>
    </div>
  )
}

const deployed = ({ deploymentId }: LiveUpload) => (
  <>
    <code>{deploymentId}</code> is what visitors see now.
  </>
)

interface UploadPanelProps {
  project: string
  upload: Upload
  /** What to say of an upload that is live. */
  outcome?: (upload: LiveUpload) => ReactNode
}

export function UploadPanel({ project, upload, outcome = deployed }: UploadPanelProps) {
  return (
    <section className={styles.panel} aria-label="Upload">
      {upload.step === 'live' && (
        <Live project={project} upload={upload}>
          {outcome(upload)}
        </Live>
      )}
      {upload.step === 'failed' && <Failed project={project} upload={upload} />}
      {upload.step !== 'live' && upload.step !== 'failed' && <Progress project={project} upload={upload} />}
    </section>
  )
}
