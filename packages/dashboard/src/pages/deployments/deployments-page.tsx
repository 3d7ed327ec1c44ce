// Every deployment of a project and every build that made none, with filters. More rows load as the reader scrolls.
import type { DeploymentKind, DeploymentStatus, ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { EndlessList } from '../../components/endless-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { RowSelect } from '../../components/select.tsx'
import type { Resource } from '../../resource.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import { DeploymentTable } from './deployment-table.tsx'
import styles from './deployments-page.module.css'
import type { HistoryFilter } from './history.ts'
import { type HistoryRow, isBuild } from './merge.ts'
import { useHistory } from './merged-history.ts'

export function DeploymentsPage() {
  return (
    <ProjectLayout tab="Deployments">
      {(project, resource) => <History project={project} resource={resource} />}
    </ProjectLayout>
  )
}

const statuses: readonly { value: DeploymentStatus | ''; title: string }[] = [
  { value: '', title: 'Every status' },
  { value: 'live', title: 'Live' },
  { value: 'superseded', title: 'Superseded' },
  { value: 'branch', title: 'Preview' },
  { value: 'failed', title: 'Failed' },
  { value: 'uploading', title: 'Uploading' },
]

const kinds: readonly { value: DeploymentKind | ''; title: string }[] = [
  { value: '', title: 'Sites and apps' },
  { value: 'static', title: 'Static sites' },
  { value: 'server', title: 'Server apps' },
]

interface HistoryProps {
  project: ProjectDetail
  resource: Resource<ProjectDetail>
}

function History({ project, resource }: HistoryProps) {
  const [filter, setFilter] = useFilterInUrl()
  const { list, resource: rows } = useHistory(project.name, filter)
  const refresh = async () => {
    await Promise.all([rows.refresh(), resource.refresh()])
  }
  const isFiltered = Object.keys(filter).length > 0
  return (
    <div className={styles.page}>
      <h2 className="visually-hidden">Deployments</h2>
      <Filters filter={filter} onChange={setFilter} />
      <Loaded resource={rows} rows={6} label="Loading deployments">
        {page =>
          page.rows.length === 0 ? (
            <Nothing isFiltered={isFiltered} onClear={() => setFilter({})} />
          ) : (
            <>
              <DeploymentTable project={project} rows={shown(page.rows, project)} refresh={refresh} />
              <EndlessList list={list} shown={page} />
            </>
          )
        }
      </Loaded>
    </div>
  )
}

/** The filter is part of the URL, so that a filtered list can be passed on and survives a reload. */
function useFilterInUrl(): [HistoryFilter, (filter: HistoryFilter) => void] {
  const [params, setParams] = useSearchParams()
  const known = (name: string, choices: readonly { value: string }[]) =>
    choices.find(({ value }) => value === params.get(name))?.value
  const filter = chosen({
    status: known('status', statuses),
    kind: known('kind', kinds),
    branch: params.get('branch')?.slice(0, 255),
  })
  return [filter, changed => setParams({ ...changed }, { replace: true })]
}

/** A rollback shows at once, before the list has been read again. */
const shown = (rows: HistoryRow[], { active_deployment_id: active }: ProjectDetail): HistoryRow[] =>
  rows.map(row => {
    if (isBuild(row)) return row
    if (row.id === active) return { ...row, status: 'live' }
    return row.status === 'live' ? { ...row, status: 'superseded' } : row
  })

interface FiltersProps {
  filter: HistoryFilter
  onChange: (filter: HistoryFilter) => void
}

/** The filter without what is not chosen, so that equal choices are equal filters. */
function chosen({ status, kind, branch }: Record<keyof HistoryFilter, string | undefined>): HistoryFilter {
  return {
    ...(status && { status: status as DeploymentStatus }),
    ...(kind && { kind: kind as DeploymentKind }),
    ...(branch && { branch }),
  }
}

function Filters({ filter, onChange }: FiltersProps) {
  const { status, kind, branch } = filter
  const [typed, setTyped] = useState(branch ?? '')
  return (
    <form
      className={styles.filters}
      aria-label="Filter deployments"
      onSubmit={event => {
        event.preventDefault()
        onChange(chosen({ status, kind, branch: typed.trim() }))
      }}
    >
      <RowSelect
        label="Status"
        value={status ?? ''}
        options={statuses}
        onChoose={value => onChange(chosen({ status: value, kind, branch }))}
      />
      <RowSelect
        label="Kind"
        value={kind ?? ''}
        options={kinds}
        onChoose={value => onChange(chosen({ status, kind: value, branch }))}
      />
      <input
        type="search"
        className={styles.branch}
        aria-label="Branch"
        placeholder="Branch"
        value={typed}
        maxLength={255}
        onChange={event => {
          setTyped(event.target.value)
          if (event.target.value === '') onChange(chosen({ status, kind, branch: '' }))
        }}
      />
      <Button size="small" type="submit">
        Filter
      </Button>
    </form>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered)
    return (
      <Empty title="No deployments yet">
        <p>Push to a connected repository, drop a folder on the Overview tab, or run svc deploy.</p>
      </Empty>
    )
  return (
    <Empty title="No deployment matches">
      <Button size="small" onClick={onClear}>
        Show all deployments
      </Button>
    </Empty>
  )
}
