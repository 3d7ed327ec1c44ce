// The deployments of a project as a table. Builds without a deployment are rows with the same columns (`build-row.tsx`).
import type { Deployment, ProjectDetail } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button, IconButton } from '../../components/button.tsx'
import { StatusBadge, shownStatus } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatDuration } from '../../format.ts'
import { href } from '../../paths.ts'
import { activate } from '../projects/project/detail.ts'
import { BuildRow } from './build-row.tsx'
import { DeleteDeploymentDialog } from './delete-deployment-dialog.tsx'
import { DeploymentLinks } from './deployment-links.tsx'
import styles from './deployment-table.module.css'
import { GitRef } from './git-ref.tsx'
import { type HistoryRow, isBuild } from './merge.ts'
import { PromoteDialog } from './promote-dialog.tsx'
import { uploadOf } from './source.tsx'

interface TableProps {
  project: ProjectDetail
  rows: readonly HistoryRow[]
  refresh: () => Promise<void>
}

export function DeploymentTable({ project, rows, refresh }: TableProps) {
  const [deleting, setDeleting] = useState<Deployment>()
  const [promoting, setPromoting] = useState<Deployment>()
  const { name, active_deployment_id } = project
  const activeAt =
    [...rows, ...project.deployments].find(({ id }) => id === active_deployment_id)?.created_at ?? ''
  return (
    <>
      <div className={styles.frame}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Deployment</th>
              <th scope="col">Source</th>
              <th scope="col">Deployed</th>
              <th scope="col">Contents</th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(row =>
              isBuild(row) ? (
                <BuildRow key={row.id} project={name} build={row} />
              ) : (
                <DeploymentRow
                  key={row.id}
                  project={name}
                  deployment={row}
                  active={row.id === active_deployment_id}
                  newer={row.created_at > activeAt}
                  onActivate={() => void activate(project, row.id, refresh)}
                  onPromote={() => setPromoting(row)}
                  onDelete={() => setDeleting(row)}
                />
              ),
            )}
          </tbody>
        </table>
      </div>
      {promoting && (
        <PromoteDialog project={project} deployment={promoting} onClose={() => setPromoting(undefined)} />
      )}
      {deleting && (
        <DeleteDeploymentDialog
          project={project}
          deployment={deleting}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => void refresh()}
        />
      )}
    </>
  )
}

interface DeploymentRowProps {
  project: string
  deployment: Deployment
  active: boolean
  /** Whether it is newer than the live deployment. Activating it is then no rollback. */
  newer: boolean
  onActivate: () => void
  onPromote: () => void
  onDelete: () => void
}

function DeploymentRow(props: DeploymentRowProps) {
  const { project, deployment, active, newer, onActivate, onPromote, onDelete } = props
  const { id, status, created_at, error } = deployment
  const message = deployment.commit_message?.split('\n')[0]
  const by = deployment.commit_author ?? deployment.created_by
  const took = deployment.build_ms ?? deployment.duration_ms
  const shown = shownStatus(deployment)
  const move = newer
    ? { words: 'Make live', label: `Make live: ${id}`, icon: 'upload' as const }
    : { words: 'Roll back', label: `Roll back to ${id}`, icon: 'rollback' as const }
  return (
    <tr>
      <td>
        <StatusBadge status={shown} />
      </td>
      <td className={styles.id}>
        {message && (
          <Link
            className={styles.message}
            href={href('/projects/:name/deployments/:deployment', { name: project, deployment: id })}
          >
            {message}
          </Link>
        )}
        <DeploymentLinks project={project} deployment={deployment} />
        {error && shown !== 'cancelled' && <Failure error={error} />}
      </td>
      <td className={styles.source}>
        <GitRef of={deployment} />
        {deployment.build_id === null && <span className={styles.by}>{uploadOf(deployment)}</span>}
      </td>
      <td className={styles.when}>
        <TimeAgo at={created_at} />
        {by && <span className={styles.by}>by {by}</span>}
        {took !== null && <span className={styles.by}>in {formatDuration(took)}</span>}
      </td>
      <td className={styles.contents}>
        <Contents of={deployment} />
      </td>
      <td className={styles.actions}>
        <div>
          {status === 'superseded' && (
            <Button size="small" icon={move.icon} aria-label={move.label} onClick={onActivate}>
              {move.words}
            </Button>
          )}
          {status === 'branch' && (
            <Button size="small" icon="upload" aria-label={`Promote ${id}`} onClick={onPromote}>
              Promote
            </Button>
          )}
          {!active && status !== 'uploading' && (
            <IconButton size="small" icon="trash" label={`Delete ${id}`} onClick={onDelete} />
          )}
        </div>
      </td>
    </tr>
  )
}

/** What went wrong in a sentence, and the last lines of an app that did not come up for those who look. */
function Failure({ error }: { error: string }) {
  const [sentence, ...log] = error.split('\n')
  return (
    <div className={styles.failure}>
      <p>{sentence}</p>
      {log.length > 0 && (
        <details>
          <summary>Show its last lines</summary>
          <pre>{log.join('\n').trim()}</pre>
        </details>
      )}
    </div>
  )
}

function Contents({ of }: { of: Deployment }) {
  if (of.file_count === null) return null
  return (
    <>
      {of.file_count.toLocaleString('en')} {of.file_count === 1 ? 'file' : 'files'}
      {of.size_bytes !== null && <span className={styles.size}>{formatBytes(of.size_bytes)}</span>}
    </>
  )
}
