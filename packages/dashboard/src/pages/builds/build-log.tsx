// The log of a build as it grows, in steps that fold. Each line has a link, and the log can be searched and downloaded.
import type { Build } from '@svc/contract'
import { useMemo, useState } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { LogBox } from '../../components/log-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { StyledText } from '../../components/styled-text.tsx'
import { offerFile } from '../../offer-file.ts'
import { clockTime, find } from '../logs/lines.ts'
import styles from './build-log.module.css'
import { isUnderWay } from './builds.ts'
import { type BuildLine, linesOf, withoutTimes } from './lines.ts'
import { LogSearch } from './log-search.tsx'
import { rowsOf, type Step, stepsOf } from './steps.ts'
import { useLinkedLine } from './use-linked-line.ts'
import { useLog } from './use-log.ts'

export function BuildLog({ project, build }: { project: string; build: Build }) {
  const underWay = isUnderWay(build)
  const { text, error } = useLog(project, build.id, underWay)
  const linked = useLinkedLine()
  const [wanted, setWanted] = useState('')
  const [found, setFound] = useState<number>()
  const [withTimes, setWithTimes] = useState(false)
  const [choices, setChoices] = useState<ReadonlyMap<number, boolean>>(new Map())

  const lines = useMemo(
    () => linesOf(text || (underWay ? '- Waiting for the first line…' : '- The build wrote nothing.')),
    [text, underWay],
  )
  const steps = useMemo(() => stepsOf(lines), [lines])
  const isOpen = (step: Step): boolean =>
    wanted !== '' || (choices.get(step.from) ?? (holds(step, linked) || isOpenAtFirst(step, build)))

  return (
    <>
      <div className={styles.tools}>
        <LogSearch lines={lines} wanted={wanted} onSearch={setWanted} onFound={setFound} />
        <Button size="small" aria-pressed={withTimes} onClick={() => setWithTimes(!withTimes)}>
          Times
        </Button>
        <Button
          size="small"
          icon="download"
          disabled={text === ''}
          onClick={() =>
            offerFile(new Blob([withoutTimes(text)], { type: 'text/plain' }), `${build.id}.log.txt`)
          }
        >
          Download
        </Button>
      </div>
      {error !== undefined && <Notice tone="warning">{explain(error)} Trying again.</Notice>}
      <LogBox
        label="Build log"
        fit
        newest="bottom"
        rows={rowsOf(lines, steps, isOpen)}
        keyOf={({ line }) => String(line.number)}
        goTo={String(found ?? linked ?? '')}
        look={String(withTimes)}
      >
        {({ line, step }) =>
          step ? (
            <StepTitle
              step={step}
              isOpen={isOpen(step)}
              state={stateOf(step, step === steps.at(-1), build)}
              onToggle={() => setChoices(new Map(choices).set(step.from, !isOpen(step)))}
            />
          ) : (
            <LineOfLog
              line={line}
              wanted={wanted}
              withTime={withTimes}
              isMarked={line.number === (found ?? linked)}
            />
          )
        }
      </LogBox>
    </>
  )
}

/** In a failed build, the steps that went well are folded, so that the one that failed is in sight. */
const isOpenAtFirst = (step: Step, build: Build): boolean =>
  build.status !== 'failed' || step.seconds === undefined

const holds = ({ from, to }: Step, line: number | undefined): boolean =>
  line !== undefined && from <= line && line <= to

interface StepState {
  state: 'done' | 'running' | 'stopped'
  words: string
}

function stateOf(step: Step, isLast: boolean, build: Build): StepState {
  if (step.seconds !== undefined) return { state: 'done', words: step.seconds }
  return isLast && isUnderWay(build)
    ? { state: 'running', words: 'running' }
    : { state: 'stopped', words: build.status }
}

interface StepTitleProps {
  step: Step
  isOpen: boolean
  state: StepState
  onToggle: () => void
}

function StepTitle({ step, isOpen, state: { state, words }, onToggle }: StepTitleProps) {
  return (
    <button
      type="button"
      className={styles.step}
      data-state={state}
      data-row-button
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      <span className={styles.arrow} aria-hidden="true" />
      <span className={styles.title}>{step.title}</span>
      <span className={styles.took}>{words}</span>
    </button>
  )
}

interface LineOfLogProps {
  line: BuildLine
  wanted: string
  withTime: boolean
  isMarked: boolean
}

function LineOfLog({ line: { number, time, text, pieces }, wanted, withTime, isMarked }: LineOfLogProps) {
  return (
    <div className={styles.line} data-marked={isMarked || undefined}>
      <a
        className={styles.number}
        href={`#L${number}`}
        tabIndex={-1}
        data-row-button
        aria-label={`Line ${number}`}
      >
        {number}
      </a>
      {withTime && <time dateTime={time}>{time && clockTime(time)}</time>}
      <span className={styles.text}>
        <StyledText pieces={pieces} found={find(text, wanted)} />
      </span>
    </div>
  )
}
