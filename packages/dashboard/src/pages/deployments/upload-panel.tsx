// How an upload is going, from comparing the files to the live URL.
import { formatBytes } from '@svc/contract/bytes'
import type { ReactNode } from 'react'
import { Button, SiteButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Icon } from '../../components/icon.tsx'
import { Warnings } from '../../components/notice.tsx'
import { bareUrl, formatCount } from '../../format.ts'
import { cancelUpload, dismissUpload, isUnderWay, type UnderWay, type Upload } from '../../upload/uploads.ts'
import { rollBack } from '../projects/project/detail.ts'
import styles from './upload-panel.module.css'

function words(upload: UnderWay): { title: string; detail: string } {
  const site = `${formatCount(upload.files, 'file')}, ${formatBytes(upload.bytes)}`
  if (upload.step === 'publishing') return { title: 'Going live', detail: site }
  if (upload.step === 'comparing') return { title: 'Comparing with what is deployed', detail: site }
  if (upload.step === 'packing') return { title: 'Packing', detail: site }
  return { title: 'Uploading', detail: `${formatBytes(upload.done)} of ${formatBytes(upload.total)}` }
}

function Progress({ project, upload }: { project: string; upload: UnderWay }) {
  const { title, detail } = words(upload)
  const share = upload.step === 'publishing' ? undefined : upload.done / upload.total
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
  const { url, branch, previous, warnings } = upload
  return (
    <>
      <div className={styles.head}>
        <p className={styles.outcome} role="status">
          <Icon name="check" />
          <span>
            <strong>{branch ? 'Preview ready.' : 'Live.'}</strong> {children}
          </span>
        </p>
        <div className={styles.buttons}>
          <CopyButton text={url} label="Copy the URL" />
          <SiteButton href={url} size="small">
            {branch ? 'Open preview' : 'Open site'}
          </SiteButton>
          {previous && (
            <Button
              size="small"
              icon="rollback"
              title={`Roll back to ${previous}`}
              onClick={() => {
                dismissUpload(project)
                void rollBack(project, previous)
              }}
            >
              Undo
            </Button>
          )}
          <DismissButton project={project} />
        </div>
      </div>
      <Warnings warnings={warnings} />
    </>
  )
}

const DismissButton = ({ project }: { project: string }) => (
  <Button size="small" look="quiet" onClick={() => dismissUpload(project)}>
    Dismiss
  </Button>
)

interface NotDeployedProps {
  project: string
  upload: Extract<Upload, { step: 'failed' | 'cancelled' }>
}

/** What is said of an upload that failed or was cancelled. */
function NotDeployed({ project, upload }: NotDeployedProps) {
  const isFailed = upload.step === 'failed'
  return (
    <div className={styles.head}>
      <p
        className={`${styles.outcome} ${isFailed ? styles.failed : styles.cancelled}`}
        role={isFailed ? 'alert' : 'status'}
      >
        <Icon name={isFailed ? 'alert' : 'close'} />
        <span>
          {upload.step === 'failed' ? (
            <>
              <strong>Nothing was deployed.</strong> {upload.message}
            </>
          ) : (
            <>
              <strong>Cancelled.</strong>{' '}
              {upload.isSent
                ? 'All files had arrived already, so the deployment may go live all the same.'
                : 'Nothing was deployed.'}
            </>
          )}
        </span>
      </p>
      <div className={styles.buttons}>
        {upload.retry && (
          <Button size="small" onClick={upload.retry}>
            {isFailed ? 'Try again' : 'Upload again'}
          </Button>
        )}
        <DismissButton project={project} />
      </div>
    </div>
  )
}

const deployed = ({ deploymentId, branch, previous, url }: LiveUpload) =>
  branch ? (
    <>
      The branch <code>{branch}</code> is at {bareUrl(url)}.
    </>
  ) : (
    <>
      <code>{deploymentId}</code> is what visitors see now.
      {previous && (
        <>
          {' '}
          Before, they saw <code>{previous}</code>.
        </>
      )}
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
      {(upload.step === 'failed' || upload.step === 'cancelled') && (
        <NotDeployed project={project} upload={upload} />
      )}
      {isUnderWay(upload) && <Progress project={project} upload={upload} />}
    </section>
  )
}
