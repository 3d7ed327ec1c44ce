// What a drop holds, and what is probably wrong with it.
import { formatBytes } from '@svc/contract/bytes'
import { Button } from '../components/button.tsx'
import { type Fact, Facts } from '../components/facts.tsx'
import { Warnings } from '../components/notice.tsx'
import { formatCount } from '../format.ts'
import type { Plan } from './plan.ts'
import styles from './sheet.module.css'

export interface PlanProps {
  plan: Plan
  /** The one folder of the drop that is deployed. */
  within: string | undefined
  onWithin: (folder: string | undefined) => void
}

const noFrontPage = 'There is no index.html at the top level, so the front page of the site is a 404.'

/** All that the user should decide about before it goes online. */
export const warningsOf = ({ warnings, lacksFrontPage }: Plan): string[] =>
  warnings.length === 0 && lacksFrontPage ? [noFrontPage] : warnings

export function PlanView({ plan, within, onWithin }: PlanProps) {
  const { folder, files, bytes, app, output } = plan
  const from = [folder, within].filter(Boolean).join('/')
  const facts: (Fact | false | undefined)[] = [
    { label: 'Kind', value: app ? `Server app (${app.name})` : 'Static site' },
    app && { label: 'Starts with', value: <code className={styles.command}>{app.start}</code> },
    { label: 'Contents', value: `${formatCount(files.length, 'file')}, ${formatBytes(bytes)}` },
    from !== '' && { label: 'From', value: from },
  ]
  const warnings = warningsOf(plan)
  return (
    <>
      <Facts facts={facts.filter(fact => typeof fact === 'object')} />
      <Warnings warnings={warnings} />
      {output !== undefined && (
        <Button
          className={styles.folder}
          icon="check"
          onClick={() => onWithin([within, output].filter(Boolean).join('/'))}
        >
          Deploy only {output}/
        </Button>
      )}
      {within !== undefined && (
        <p className={styles.within}>
          Only {within}/ is deployed.{' '}
          <Button size="small" look="quiet" onClick={() => onWithin(undefined)}>
            Deploy everything
          </Button>
        </p>
      )}
    </>
  )
}
