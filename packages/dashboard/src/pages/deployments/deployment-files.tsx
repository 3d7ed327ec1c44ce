// The files of a deployment with their sizes, and what changed since another deployment.
import type { DeploymentDetail, DeploymentFiles as Files } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { RowSelect } from '../../components/select.tsx'
import { formatCount } from '../../format.ts'
import { useResource, writeResource } from '../../resource.ts'
import { useWork } from '../../use-work.ts'
import styles from './deployment-files.module.css'
import { deploymentsOf, readFiles } from './history.ts'

interface DeploymentFilesProps {
  project: string
  deployment: DeploymentDetail
}

export function DeploymentFiles({ project, deployment: { id, previous_id } }: DeploymentFilesProps) {
  const [since, setSince] = useState(previous_id ?? '')
  return (
    <div className={styles.page}>
      <Compare project={project} id={id} previous={previous_id} since={since} onChoose={setSince} />
      <FileList key={since} project={project} id={id} since={since} />
    </div>
  )
}

interface CompareProps {
  project: string
  id: string
  previous: string | null
  since: string
  onChoose: (since: string) => void
}

/** Any other deployment whose files are still there can be compared with. */
function Compare({ project, id, previous, since, onChoose }: CompareProps) {
  const { data } = deploymentsOf(project, {}).use()
  const others = (data?.rows ?? [])
    .filter(row => row.id !== id && row.id !== previous && row.file_count !== null && row.status !== 'failed')
    .map(row => ({ value: row.id, title: `Changes since ${row.id}` }))
  const options = [
    { value: '', title: 'All files' },
    ...(previous ? [{ value: previous, title: `Changes since ${previous} (the one before)` }] : []),
    ...others,
  ]
  return <RowSelect label="Which files" value={since} options={options} onChoose={onChoose} />
}

function FileList({ project, id, since }: { project: string; id: string; since: string }) {
  const key = `files of ${id} since ${since}`
  const { busy, run } = useWork()
  const resource = useResource(key, () => readFiles(project, id, since || undefined, null))
  async function more(cursor: string) {
    const next = await readFiles(project, id, since || undefined, cursor)
    writeResource<Files>(key, shown => ({ ...next, files: [...shown.files, ...next.files] }))
  }
  return (
    <Loaded resource={resource} rows={6} label="Loading the files">
      {({ files, changes, next_cursor }) =>
        files.length === 0 ? (
          <Empty>
            <p>{since ? 'Both deployments have the same files.' : 'This deployment has no files.'}</p>
          </Empty>
        ) : (
          <>
            {changes && <p className={styles.summary}>{summaryOf(changes)}</p>}
            <ul className={styles.files} aria-label="Files">
              {files.map(({ path, size_bytes, change }) => (
                <li key={path} className={styles.file} data-change={change ?? undefined}>
                  {change && <span className={styles.change}>{change}</span>}
                  <span className={styles.path}>{path}</span>
                  <span className={styles.size}>{formatBytes(size_bytes)}</span>
                </li>
              ))}
            </ul>
            {next_cursor && (
              <Button busy={busy} onClick={() => run(() => more(next_cursor))}>
                Load more
              </Button>
            )}
          </>
        )
      }
    </Loaded>
  )
}

const summaryOf = ({ added, changed, removed }: NonNullable<Files['changes']>): string =>
  `${formatCount(added, 'file')} added, ${changed.toLocaleString('en')} changed, ${removed.toLocaleString('en')} removed.`
