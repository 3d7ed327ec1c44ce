// The log of a build as it grows, and above it the steps with the time that each took.
import type { Build } from '@svc/contract'
import { useEffect, useMemo, useRef, useState } from 'react'
import { explain } from '../../api.ts'
import { LogBox } from '../../components/log-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { StyledText } from '../../components/styled-text.tsx'
import styles from './build-log.module.css'
import { isUnderWay, lookEveryMs, readLog } from './builds.ts'
import { linesOf } from './lines.ts'
import { type Step, stepsOf } from './steps.ts'

export function BuildLog({ project, build }: { project: string; build: Build }) {
  const underWay = isUnderWay(build)
  const { text, error } = useLog(project, build.id, underWay)
  const steps = stepsOf(text)
  const lines = useMemo(
    () => linesOf(text || (underWay ? 'Waiting for the first line…' : 'The build wrote nothing.')),
    [text, underWay],
  )
  return (
    <>
      {steps.length > 0 && (
        <ol className={styles.steps} aria-label="Steps">
          {steps.map((step, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps only ever come after those before them
            <StepItem key={i} step={step} isLast={i === steps.length - 1} build={build} />
          ))}
        </ol>
      )}
      {error !== undefined && <Notice tone="warning">{explain(error)} Trying again.</Notice>}
      <LogBox label="Build log" fit newest="bottom" rows={lines} keyOf={({ number }) => String(number)}>
        {({ pieces, text }) => (
          <div className={styles.line}>
            <StyledText pieces={pieces} found={[text]} />
          </div>
        )}
      </LogBox>
    </>
  )
}

function StepItem({ step, isLast, build }: { step: Step; isLast: boolean; build: Build }) {
  const state = step.seconds !== undefined ? 'done' : isLast && isUnderWay(build) ? 'running' : 'stopped'
  const words = { done: step.seconds ?? '', running: 'running', stopped: build.status }[state]
  return (
    <li className={styles.step} data-state={state}>
      <span>{step.title}</span>
      <span className={styles.took}>{words}</span>
    </li>
  )
}

/** What is new is read once a second while the build runs. */
function useLog(project: string, id: string, underWay: boolean): { text: string; error: unknown } {
  const [text, setText] = useState('')
  const [error, setError] = useState<unknown>()
  const end = useRef(0)
  useEffect(() => {
    let stopped = false
    let timer: ReturnType<typeof setTimeout> | undefined
    async function look() {
      try {
        const news = await readLog(project, id, end.current)
        if (stopped) return
        end.current = news.end
        if (news.text !== '') setText(shown => shown + news.text)
        setError(undefined)
      } catch (failure) {
        setError(failure)
      }
      if (underWay && !stopped) timer = setTimeout(look, lookEveryMs)
    }
    void look()
    return () => {
      stopped = true
      clearTimeout(timer)
    }
  }, [project, id, underWay])
  return { text, error }
}
