// One request of the request log. A press on the row shows the rest of what is known about it; a press on its status, method,
// host or path shows only requests with the same one.
import type { LoggedRequest } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { Link } from 'wouter'
import { CopyButton } from '../../components/copy.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { useNow } from '../../components/time-ago.tsx'
import { formatDuration, formatMoment } from '../../format.ts'
import { href } from '../../paths.ts'
import type { Filters } from './filter-bar.tsx'
import { momentOf } from './lines.ts'
import styles from './request-row.module.css'

/** The headings are for readers who see the columns. Each row says its values in full. */
export function RequestHeadings() {
  return (
    <div className={`${styles.columns} ${styles.headings}`} aria-hidden="true">
      <span>Time</span>
      <span>Status</span>
      <span>Method</span>
      <span className={styles.host}>Host</span>
      <span>Path</span>
      <span className={styles.number}>Duration</span>
      <span>Cache</span>
      <span className={styles.number}>Size</span>
    </div>
  )
}

interface RequestRowProps {
  project: string
  request: LoggedRequest
  filters: Filters
  isOpen: boolean
  onToggle: () => void
}

const tones = ['grey', 'grey', 'green', 'blue', 'amber', 'red']
const left = 'The client disconnected before an answer began'

/** The button with the time covers the row. The values that filter lie above it. */
export function RequestRow({ project, request, filters, isOpen, onToggle }: RequestRowProps) {
  const { at, status, method, host, path, ms, cache, bytes, count } = request
  const now = useNow()
  const moment = momentOf(at, now)
  const value = (name: FilterName, text: string) => (
    <FilterValue {...{ filters, name, request, text }} className={styles.value} tabIndex={-1} />
  )
  return (
    <div data-status={status}>
      <div className={`${styles.columns} ${styles.request}`}>
        <button
          type="button"
          className={styles.toggle}
          // The arrow keys lead here.
          tabIndex={-1}
          data-row-button
          aria-expanded={isOpen}
          aria-label={`${moment}, ${method} ${path}, ${status || left}`}
          data-tip={formatMoment(at)}
          onClick={onToggle}
        >
          <time className={styles.time} dateTime={at}>
            {moment}
          </time>
        </button>
        <span className={styles.status} data-tone={tones[Math.floor(status / 100)]}>
          {value('status', status ? String(status) : '—')}
        </span>
        <span className={styles.method}>{value('method', method)}</span>
        <span className={styles.host}>{value('host', host)}</span>
        <span className={styles.path}>
          {value('path', path)}
          {count > 1 && <span className={styles.count}>×{count}</span>}
        </span>
        <span className={`${styles.number} ${styles.duration}`}>{formatDuration(ms)}</span>
        <span className={styles.cache}>{cache ?? '—'}</span>
        <span className={styles.number}>{formatBytes(bytes)}</span>
      </div>
      {isOpen && (
        <div className={styles.details}>
          <Facts facts={factsOf(project, request, filters)} />
        </div>
      )}
    </div>
  )
}

type FilterName = 'status' | 'method' | 'host' | 'path'

interface FilterValueProps {
  filters: Filters
  name: FilterName
  request: LoggedRequest
  className: string | undefined
  /** -1 in a row, where every value would be one more stop for the Tab key. The details of the row have the same buttons. */
  tabIndex?: number
  text: string
}

/** A value of a request. A press shows only requests with the same value, or all of them again. */
function FilterValue({ filters, name, request, className, tabIndex, text }: FilterValueProps) {
  const value = String(request[name])
  const isChosen = filters.get(name) === value
  const label = isChosen ? `Show every ${name}` : `Show only ${name} ${value}`
  return (
    <button
      type="button"
      className={className}
      aria-label={`${text}: ${label}`}
      aria-pressed={isChosen}
      data-tip={label}
      tabIndex={tabIndex}
      onClick={() => filters.set(name, isChosen ? '' : value)}
    >
      {text}
    </button>
  )
}

function factsOf(project: string, request: LoggedRequest, filters: Filters): Fact[] {
  const { at, status, count, cache, bytes, deployment_id: deployment, request_id: id } = request
  const value = (name: FilterName, text = String(request[name])) => (
    <FilterValue {...{ filters, name, request, text }} className={styles.fact} />
  )
  return [
    { label: 'Time', value: formatMoment(at) },
    { label: 'Status', value: value('status', status === 0 ? left : undefined) },
    { label: 'Method', value: value('method') },
    { label: 'Host', value: value('host'), isLong: true },
    { label: 'Path', value: value('path'), isLong: true },
    ...(count > 1 ? [{ label: 'Count', value: `${count} equal requests in a row` }] : []),
    { label: 'Cache', value: cache ?? 'Not asked' },
    { label: 'Size', value: formatBytes(bytes) },
    {
      label: 'Deployment',
      value: deployment ? (
        <Link href={href('/projects/:name/deployments/:deployment', { name: project, deployment })}>
          {deployment}
        </Link>
      ) : (
        'None: the platform answered'
      ),
    },
    {
      label: 'Request id',
      value: id ? (
        <>
          <code>{id}</code> <CopyButton text={id} label="Copy the request id" />{' '}
          <Link href={`${href('/projects/:name/logs/:view', { name: project, view: 'app' })}?search=${id}`}>
            Lines of the app
          </Link>
        </>
      ) : (
        'None: answered from the memory of the edge'
      ),
    },
  ]
}
