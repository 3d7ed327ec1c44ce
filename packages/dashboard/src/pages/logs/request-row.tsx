// One request of the request log. A press shows the rest of what is known about it.
import type { LoggedRequest } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { Link } from 'wouter'
import { CopyButton } from '../../components/copy.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { useNow } from '../../components/time-ago.tsx'
import { formatDuration, formatMoment } from '../../format.ts'
import { momentOf } from './lines.ts'
import styles from './request-row.module.css'

/** The headings are for readers who see the columns. Each row says its values in full. */
export function RequestHeadings() {
  return (
    <div className={`${styles.columns} ${styles.headings}`} aria-hidden="true">
      <span>Time</span>
      <span>Status</span>
      <span>Method</span>
      <span>Path</span>
      <span>Duration</span>
      <span>Cache</span>
      <span>Size</span>
    </div>
  )
}

interface RequestRowProps {
  project: string
  request: LoggedRequest
  isOpen: boolean
  onToggle: () => void
}

const tones = ['grey', 'grey', 'green', 'blue', 'amber', 'red']
const left = 'The client disconnected before an answer began'

export function RequestRow({ project, request, isOpen, onToggle }: RequestRowProps) {
  const { at, status, method, path, ms, cache, bytes, count } = request
  const now = useNow()
  return (
    <div className={styles.request} data-status={status}>
      <button
        type="button"
        className={`${styles.columns} ${styles.row}`}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <time className={styles.time} dateTime={at} title={formatMoment(at)}>
          {momentOf(at, now)}
        </time>
        <span
          className={styles.status}
          data-tone={tones[Math.floor(status / 100)]}
          title={status ? '' : left}
        >
          {status || '—'}
        </span>
        <span className={styles.method}>{method}</span>
        <span className={styles.path} title={path}>
          {path}
          {count > 1 && <span className={styles.count}> ×{count}</span>}
        </span>
        <span className={styles.number}>{formatDuration(ms)}</span>
        <span className={styles.cache}>{cache ?? '—'}</span>
        <span className={styles.number}>{formatBytes(bytes)}</span>
      </button>
      {isOpen && (
        <div className={styles.details}>
          <Facts facts={factsOf(project, request)} />
        </div>
      )}
    </div>
  )
}

function factsOf(project: string, request: LoggedRequest): Fact[] {
  const { at, host, path, status, count, cache, bytes, deployment_id: deployment, request_id: id } = request
  return [
    { label: 'Time', value: formatMoment(at) },
    { label: 'Host', value: host },
    { label: 'Path', value: path },
    ...(status === 0 ? [{ label: 'Status', value: left }] : []),
    ...(count > 1 ? [{ label: 'Count', value: `${count} equal requests in a row` }] : []),
    { label: 'Cache', value: cache ?? 'Not asked' },
    { label: 'Size', value: formatBytes(bytes) },
    {
      label: 'Deployment',
      value: deployment ? (
        <Link href={`/projects/${project}/deployments/${deployment}`}>{deployment}</Link>
      ) : (
        'None: the platform answered'
      ),
    },
    {
      label: 'Request id',
      value: id ? (
        <>
          <code>{id}</code> <CopyButton text={id} label="Copy the request id" />
        </>
      ) : (
        'None: answered from the memory of the edge'
      ),
    },
  ]
}
