// The repositories that the platform hosts for the account and its orgs.
import type { StoredRepository } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { useState } from 'react'
import { call } from '../../api.ts'
import { IconButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import styles from '../../components/row-text.module.css'
import { Row, Rows } from '../../components/rows.tsx'
import { Section } from '../../components/section.tsx'
import { notify } from '../../components/toasts.tsx'
import { useResource } from '../../resource.ts'
import { AccountLayout } from '../identity/account/account-layout.tsx'

export function RepositoriesPage() {
  const resource = useResource('hosted repositories', () => call('GET /repos'))
  const [deleting, setDeleting] = useState<StoredRepository>()
  return (
    <AccountLayout title="Repositories">
      <Section
        title="Repositories"
        lead="Hosted by this platform for you and your orgs. A full repository takes only pushes that make it smaller."
      >
        <Loaded resource={resource} rows={2} label="Loading repositories">
          {({ repos }) =>
            repos.length === 0 ? (
              <Empty>
                <p>No repositories yet. Connect one on the Git page of a project, or from your terminal:</p>
                <Command>svc git connect &lt;owner/repo&gt;</Command>
              </Empty>
            ) : (
              <Rows columns="minmax(0, 1fr) 12rem auto" end="side">
                {repos.map(repo => (
                  <Repository key={repo.repo} repository={repo} onDelete={() => setDeleting(repo)} />
                ))}
              </Rows>
            )
          }
        </Loaded>
      </Section>
      {deleting && (
        <DeleteDialog
          repository={deleting}
          onDeleted={() => void resource.refresh()}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </AccountLayout>
  )
}

function Repository({ repository, onDelete }: { repository: StoredRepository; onDelete: () => void }) {
  const { repo, size_bytes, size_limit_bytes, projects, can_delete } = repository
  return (
    <Row>
      <div>
        <p className={styles.name}>{repo}</p>
        <p className={styles.soft}>
          {projects.length > 0 ? `Builds ${projects.join(', ')}` : 'No project builds from it'}
        </p>
      </div>
      <p className={styles.soft}>
        {size_bytes === null
          ? 'Not measured yet'
          : `${formatBytes(size_bytes)} of ${formatBytes(size_limit_bytes)}`}
      </p>
      {can_delete ? (
        <IconButton size="small" icon="trash" label={`Delete ${repo}`} onClick={onDelete} />
      ) : (
        <span />
      )}
    </Row>
  )
}

interface DeleteDialogProps {
  repository: StoredRepository
  onDeleted: () => void
  onClose: () => void
}

function DeleteDialog({ repository: { repo }, onDeleted, onClose }: DeleteDialogProps) {
  async function run() {
    const [owner = '', name = ''] = repo.split('/')
    await call('DELETE /repos/:owner/:repo', { params: { owner, repo: name } })
    notify({ tone: 'ok', text: `${repo} was deleted.` })
    onDeleted()
  }

  return (
    <ConfirmDialog
      title="Delete this repository?"
      action="Delete repository"
      keep="Keep it"
      typed={repo}
      run={run}
      onClose={onClose}
    >
      <p>All its commits and branches are gone. Deployments stay as they are.</p>
    </ConfirmDialog>
  )
}
