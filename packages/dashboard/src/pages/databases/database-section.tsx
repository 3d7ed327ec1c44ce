// The PostgreSQL database of a project: how large it is, what the app gets, and what its connections do.
import type { Database, PreviewDatabase, RemovedDatabase } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { useState } from 'react'
import { Button, LinkButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { ExportButton } from '../../components/export-button.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Meter } from '../../components/meter.tsx'
import { Notice } from '../../components/notice.tsx'
import { Section } from '../../components/section.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatUtc } from '../../format.ts'
import { href } from '../../paths.ts'
import { useWork } from '../../use-work.ts'
import { withEffect } from '../projects/project/effect.ts'
import styles from '../projects/project/storage-state.module.css'
import { createDatabase, removeDatabase, saveDump, setPreviewData, useDatabase } from './databases.ts'
import { RestoreButton } from './restore-button.tsx'
import { RunningQueries } from './running-queries.tsx'
import { SlowStatements } from './slow-statements.tsx'

export function DatabaseSection({ project, allowed }: { project: string; allowed: boolean }) {
  const resource = useDatabase(project)
  const { data, refresh } = resource
  const [isRemoving, setRemoving] = useState(false)
  const { doing, run } = useWork()

  const create = (restore: boolean) =>
    run(
      async () => {
        const effect = await createDatabase(project, restore)
        await refresh()
        notify({
          tone: 'ok',
          text: withEffect(`The database was ${restore ? 'brought back' : 'created'}.`, effect),
        })
      },
      restore ? 'restore' : 'create',
    )

  const switchPreviews = () =>
    run(async () => {
      const next = data?.database?.preview_data === 'copy' ? 'empty' : 'copy'
      await setPreviewData(project, next)
      await refresh()
      const words = next === 'copy' ? 'begin with a copy of the data' : 'begin empty'
      notify({ tone: 'ok', text: `The databases of new previews ${words}.` })
    }, 'previews')

  return (
    <>
      <Section
        title="Database"
        lead="A PostgreSQL database of the project. The live server app finds it in DATABASE_URL."
        actions={
          allowed &&
          data && (
            <DatabaseActions
              project={project}
              {...data}
              doing={doing}
              onCreate={create}
              onRemove={() => setRemoving(true)}
              onPreviews={switchPreviews}
              refresh={refresh}
            />
          )
        }
      >
        <Loaded resource={resource} rows={2} label="Loading the database">
          {({ database, removed, previews }) =>
            database ? (
              <DatabaseState database={database} removed={removed} previews={previews} />
            ) : (
              <None project={project} removed={removed} />
            )
          }
        </Loaded>
      </Section>
      {data?.database && <RunningQueries project={project} />}
      {data?.database && <SlowStatements project={project} />}
      {isRemoving && <RemoveDialog project={project} refresh={refresh} onClose={() => setRemoving(false)} />}
    </>
  )
}

interface ActionsProps {
  project: string
  database: Database | null
  removed: RemovedDatabase | null
  doing: string | undefined
  onCreate: (restore: boolean) => void
  onRemove: () => void
  onPreviews: () => void
  refresh: () => Promise<void>
}

function DatabaseActions({
  project,
  database,
  removed,
  doing,
  onCreate,
  onRemove,
  onPreviews,
  refresh,
}: ActionsProps) {
  if (database && database.status !== 'creating')
    return (
      <>
        {removed && (
          <Button busy={doing === 'restore'} onClick={() => onCreate(true)}>
            Bring back the one before
          </Button>
        )}
        <LinkButton href={href('/projects/:name/tables', { name: project })}>Tables</LinkButton>
        <ExportButton save={() => saveDump(project)}>Download dump</ExportButton>
        <Button busy={doing === 'previews'} onClick={onPreviews}>
          {database.preview_data === 'copy' ? 'Start previews empty' : 'Copy into new previews'}
        </Button>
        <RestoreButton project={project} refresh={refresh} />
        <Button onClick={onRemove}>Remove database</Button>
      </>
    )
  return (
    <>
      {removed && (
        <Button busy={doing === 'restore'} onClick={() => onCreate(true)}>
          Bring it back
        </Button>
      )}
      <Button look="primary" icon="plus" busy={doing === 'create'} onClick={() => onCreate(false)}>
        Create database
      </Button>
    </>
  )
}

const problems: Record<Database['status'], string | undefined> = {
  creating: 'The database is not complete. Create it again.',
  ready: undefined,
  read_only: 'The database is larger than its limit: new sessions are read-only. Delete rows to write again.',
  closed:
    'The database is much larger than its limit, and nobody can connect. Ask the operator for a larger one.',
}

interface StateProps {
  database: Database
  removed: RemovedDatabase | null
  previews: PreviewDatabase[]
}

function DatabaseState({ database, removed, previews }: StateProps) {
  const problem = problems[database.status]
  return (
    <div className={styles.state}>
      {problem && <Notice tone="error">{problem}</Notice>}
      {database.variable === 'own' && (
        <Notice tone="warning">
          The project has a variable DATABASE_URL of its own, which the app gets instead of the URL of this
          database.
        </Notice>
      )}
      <Meter
        title="Used"
        used={database.used_bytes ?? 0}
        allowed={database.size_bytes}
        format={formatBytes}
        note={database.used_bytes === null && 'Not measured yet.'}
      />
      <Facts
        facts={[
          { label: 'Name', value: <code>{database.name}</code>, isLong: true },
          { label: 'Variables', value: <code>DATABASE_URL, PGHOST, PGPORT, PGUSER, …</code>, isLong: true },
          { label: 'Connections', value: `Up to ${database.connections}` },
          {
            label: 'New previews',
            value: newPreviews(database),
          },
          { label: 'Created', value: <TimeAgo at={database.created_at} /> },
          ...previews.map(({ branch, used_bytes }) => ({
            label: `Preview of ${branch}`,
            value: used_bytes === null ? 'Not measured yet' : formatBytes(used_bytes),
          })),
          ...(removed
            ? [{ label: 'Kept from before', value: `Until ${formatUtc(removed.kept_until)}` }]
            : []),
        ]}
      />
    </div>
  )
}

function newPreviews({ preview_data, preview_mask }: Database): string {
  if (preview_data !== 'copy') return 'Begin empty'
  return preview_mask === null ? 'Begin with a copy of its data' : 'Begin with a masked copy of its data'
}

function None({ project, removed }: { project: string; removed: RemovedDatabase | null }) {
  return (
    <Empty>
      {removed ? (
        <p>
          The database was removed. It is kept until {formatUtc(removed.kept_until)}: bring it back, or create
          an empty one.
        </p>
      ) : (
        <p>
          No database yet. The live server app and its release command get DATABASE_URL when it has one.
          Create it here, or from your terminal:
        </p>
      )}
      <Command>{`svc db ${removed ? 'undelete' : 'create'} --project ${project}`}</Command>
    </Empty>
  )
}

interface RemoveDialogProps {
  project: string
  refresh: () => Promise<void>
  onClose: () => void
}

function RemoveDialog({ project, refresh, onClose }: RemoveDialogProps) {
  async function run() {
    const effect = await removeDatabase(project)
    await refresh()
    notify({ tone: 'ok', text: withEffect('The database was removed.', effect) })
  }

  return (
    <ConfirmDialog
      title="Remove the database?"
      action="Remove database"
      keep="Keep it"
      typed={project}
      run={run}
      onClose={onClose}
    >
      <Notice tone="warning">
        The app cannot connect any more. The database is kept for 7 days, and you can bring it back until
        then. One that was removed before is deleted for good.
      </Notice>
    </ConfirmDialog>
  )
}
