// The next five runs of a schedule, as the server computes them, or what is wrong with the schedule.
import { useEffect, useState } from 'react'
import { explain } from '../../api.ts'
import { useNow } from '../../components/time-ago.tsx'
import { formatMoment, formatUtc } from '../../format.ts'
import { nextRunsOf } from './crons.ts'
import styles from './next-runs.module.css'
import { untilWords } from './until.ts'

/** How long typing must pause before the server is asked. */
const pauseMs = 300

type Shown = { runs: string[] } | { problem: string }

export function NextRuns({ project, schedule }: { project: string; schedule: string }) {
  const now = useNow()
  const [shown, setShown] = useState<Shown>()
  const complete = schedule.trim().split(/\s+/).length === 5
  useEffect(() => {
    if (!complete) return setShown(undefined)
    let current = true
    const show = (next: Shown) => current && setShown(next)
    const timer = setTimeout(() => {
      nextRunsOf(project, schedule).then(
        runs => show({ runs }),
        failure => show({ problem: explain(failure) }),
      )
    }, pauseMs)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [project, schedule, complete])
  if (!shown) return null
  if ('problem' in shown) return <p className={styles.problem}>{shown.problem}</p>
  return (
    <div>
      <h3 className={styles.title}>Next runs</h3>
      <ol className={styles.runs}>
        {shown.runs.map(run => (
          <li key={run}>
            <time dateTime={run} data-tip={formatMoment(run)}>
              {formatUtc(run)}
            </time>
            <span className={styles.until}>{untilWords(run, now)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
