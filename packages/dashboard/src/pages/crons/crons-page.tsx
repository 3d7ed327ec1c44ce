// The scheduled jobs of a project.
import type { Cron } from '@svc/contract'
import { useState } from 'react'
import { useParams } from 'wouter'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Command, CopyField } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { LongList } from '../../components/long-list.tsx'
import { Section } from '../../components/section.tsx'
import { notify } from '../../components/toasts.tsx'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import { CronDialog } from './cron-dialog.tsx'
import { CronRows } from './cron-rows.tsx'
import { removeCron, useCrons } from './crons.ts'
import styles from './crons-page.module.css'
import { RunsDialog } from './runs-dialog.tsx'

export function CronsPage() {
  const { name = '' } = useParams<{ name: string }>()
  return <ProjectLayout tab="Crons">{() => <Crons project={name} />}</ProjectLayout>
}

type Asking =
  | { to: 'add' }
  | { to: 'edit'; cron: Cron }
  | { to: 'runs'; cron: Cron }
  | { to: 'remove'; cron: Cron }

function Crons({ project }: { project: string }) {
  const resource = useCrons(project)
  const [asking, setAsking] = useState<Asking>()
  const close = () => setAsking(undefined)
  return (
    <div className={styles.page}>
      <Section
        title="Crons"
        lead="A job requests a path of the live site on a schedule. Schedules are in UTC."
        actions={
          <Button look="primary" icon="plus" onClick={() => setAsking({ to: 'add' })}>
            Add job
          </Button>
        }
      >
        <Loaded resource={resource} rows={3} label="Loading scheduled jobs">
          {({ crons }) =>
            crons.length === 0 ? (
              <None project={project} />
            ) : (
              <LongList rows={crons} noun="job" textOf={({ path, schedule }) => `${path} ${schedule}`}>
                {shown => (
                  <CronRows
                    project={project}
                    crons={shown}
                    onRuns={cron => setAsking({ to: 'runs', cron })}
                    onEdit={cron => setAsking({ to: 'edit', cron })}
                    onRemove={cron => setAsking({ to: 'remove', cron })}
                  />
                )}
              </LongList>
            )
          }
        </Loaded>
      </Section>
      {resource.data && (
        <Card
          title="Secret"
          lead="Signs every request, so that your app knows it is one of these jobs. It is in SVC_CRON_SECRET of a server app."
        >
          <Secret text={resource.data.verification_secret} />
        </Card>
      )}
      {asking?.to === 'add' && <CronDialog project={project} onClose={close} />}
      {asking?.to === 'edit' && <CronDialog project={project} cron={asking.cron} onClose={close} />}
      {asking?.to === 'runs' && <RunsDialog project={project} cron={asking.cron} onClose={close} />}
      {asking?.to === 'remove' && <RemoveDialog project={project} cron={asking.cron} onClose={close} />}
    </div>
  )
}

function None({ project }: { project: string }) {
  return (
    <Empty>
      <p>No scheduled jobs yet. Add one here, or from your terminal:</p>
      <Command>{`svc cron add "0 9 * * 1" /api/report --project ${project}`}</Command>
    </Empty>
  )
}

function Secret({ text }: { text: string }) {
  const [shown, setShown] = useState(false)
  if (shown) return <CopyField text={text} label="Copy the secret" />
  return (
    <div>
      <Button icon="eye" onClick={() => setShown(true)}>
        Show the secret
      </Button>
    </div>
  )
}

function RemoveDialog({ project, cron, onClose }: { project: string; cron: Cron; onClose: () => void }) {
  async function run() {
    await removeCron(project, cron.id)
    notify({ tone: 'ok', text: `The job for ${cron.path} was deleted.` })
  }
  return (
    <ConfirmDialog title="Delete this job?" action="Delete job" keep="Keep it" run={run} onClose={onClose}>
      <p>
        <code>{cron.path}</code> is not requested any more, and the list of its runs is gone.
      </p>
    </ConfirmDialog>
  )
}
