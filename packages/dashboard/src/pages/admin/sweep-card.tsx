// The sweep, which deletes what has expired: how each of its steps went the last time.
import type { AdminSweepStep } from '@svc/contract'
import { Card } from '../../components/card.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import styles from './admin.module.css'
import { useSweep } from './admin.ts'
import { CheckList } from './check-list.tsx'

export function SweepCard() {
  return (
    <Card
      title="Sweep"
      lead="Every minute svcd deletes what has expired, step by step. A step that fails does not stop the others."
    >
      <Loaded resource={useSweep()} rows={2} label="Loading the steps of the sweep">
        {steps => <Steps steps={steps} />}
      </Loaded>
    </Card>
  )
}

function Steps({ steps }: { steps: readonly AdminSweepStep[] }) {
  if (steps.length === 0) return <p className={styles.soft}>The sweep has not run yet.</p>
  const failed = steps.filter(({ error }) => error !== null)
  const last = steps.map(({ ran_at }) => ran_at).reduce((a, b) => (a > b ? a : b))
  return (
    <>
      <CheckList checks={failed.map(({ name, error }) => ({ name, ok: false, message: error ?? '' }))} />
      <p className={styles.soft}>
        {failed.length === 0 ? 'All steps succeeded' : `${steps.length - failed.length} steps succeeded`}{' '}
        <TimeAgo at={last} />.
      </p>
      <details className={styles.limits}>
        <summary>All steps ({steps.length})</summary>
        <ul className={styles.list}>
          {steps.map(step => (
            <li key={step.name}>
              <b>{step.name}</b> ran <TimeAgo at={step.ran_at} />, {step.took_ms} ms
              {step.error !== null && <LastSuccess at={step.succeeded_at} />}
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

function LastSuccess({ at }: { at: string | null }) {
  if (at === null) return ', failed, never succeeded'
  return (
    <>
      , failed, last success <TimeAgo at={at} />
    </>
  )
}
