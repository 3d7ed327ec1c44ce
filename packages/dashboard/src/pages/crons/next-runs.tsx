// The next five runs of a schedule, as the server computes them, and what is wrong with the schedule.
import { useEffect, useState } from 'react'
import { codeOf, explain } from '../../api.ts'
import { useNow } from '../../components/time-ago.tsx'
import { formatMoment, formatUtc } from '../../format.ts'
import { nextRunsOf } from './crons.ts'
import styles from './next-runs.module.css'
import { untilWords } from './until.ts'

/** How long typing must pause before the server is asked. */
const pauseMs = 300

interface Shown {
  runs?: string[]
  problem?: string
}

/** Asks the server about a schedule when it has five fields and typing pauses. */
export function useNextRuns(project: string, schedule: string): Shown {
  const [shown, setShown] = useState<Shown>({})
  const complete = schedule.trim().split(/\s+/).length === 5
  useEffect(() => {
    if (!complete) return setShown({})
    // A problem of the former text is no problem of this one.
    setShown(last => (last.problem === undefined ? last : {}))
    let current = true
    const show = (next: Shown) => current && setShown(next)
    const timer = setTimeout(() => {
      nextRunsOf(project, schedule).then(
        runs => show({ runs }),
        // Other failures say nothing about the schedule.
        failure => show(codeOf(failure) === 'invalid_request' ? { problem: problemOf(failure) } : {}),
      )
    }, pauseMs)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [project, schedule, complete])
  return shown
}

/** The field shows it, so its name is left out. */
const problemOf = (failure: unknown): string => explain(failure).replace(/^schedule: /, '')

export function NextRuns({ runs }: { runs: readonly string[] }) {
  const now = useNow()
  return (
    <div>
      <h3 className={styles.title}>Next runs</h3>
      <ol className={styles.runs}>
        {runs.map(run => (
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
