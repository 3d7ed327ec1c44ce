// The lines of a log, the newest at the bottom.
import { Link } from 'wouter'
import { LogBox } from '../../components/log-box.tsx'
import { StyledText } from '../../components/styled-text.tsx'
import { useNow } from '../../components/time-ago.tsx'
import { href } from '../../paths.ts'
import { find, type Line, momentOf, requestIdIn } from './lines.ts'
import styles from './log-lines.module.css'
import { OlderButton } from './log-parts.tsx'

interface LogLinesProps {
  project: string
  lines: readonly Line[]
  /** What was searched for. */
  wanted: string
  withTimes: boolean
  isWrapped: boolean
  earlier: (() => Promise<void>) | undefined
}

export function LogLines({ project, lines, wanted, withTimes, isWrapped, earlier }: LogLinesProps) {
  const now = useNow()

  return (
    <LogBox
      label="Lines"
      newest="bottom"
      rows={lines}
      keyOf={({ stamp }) => stamp}
      look={`${isWrapped} ${withTimes}`}
      head={earlier && <OlderButton load={earlier}>Show earlier lines</OlderButton>}
    >
      {line => (
        <div
          className={styles.line}
          data-from={line.stream}
          data-level={line.level}
          data-wrap={isWrapped || undefined}
          data-tip={`${line.stream}, ${line.deployment}, ${line.instance}`}
        >
          {withTimes && (
            <time dateTime={line.stamp} data-tip={line.stamp}>
              {momentOf(line.stamp, now)}
            </time>
          )}
          <span className={styles.tag}>{tagOf(line)}</span>
          <span className={styles.text}>
            <StyledText pieces={line.pieces} found={find(line.text, wanted)} />
            <RequestLink project={project} id={requestIdIn(line.text)} />
          </span>
        </div>
      )}
    </LogBox>
  )
}

/** Leads from a line that carries the id of a request to the request. */
function RequestLink({ project, id }: { project: string; id: string | undefined }) {
  if (id === undefined) return null
  const requests = href('/projects/:name/logs/:view', { name: project, view: 'requests' })
  return (
    <Link className={styles.request} href={`${requests}?request=${id}`} aria-label={`The request ${id}`}>
      Request
    </Link>
  )
}

const tags = { error: 'error', warn: 'warn', info: '', debug: 'debug' } as const

const tagOf = ({ stream, level }: Line): string => (stream === 'platform' ? 'svc' : tags[level])
