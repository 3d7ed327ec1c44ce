// The projects of a workspace as cards or as a list, with a search, an order, and what happened last in all of them.
import type { ListedProject } from '@svc/contract'
import { lazy, Suspense, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'
import { IconButton } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { EndlessList } from '../../components/endless-list.tsx'
import { Rows } from '../../components/rows.tsx'
import { RowSelect } from '../../components/select.tsx'
import { SettledSearch } from '../../components/settled-search.tsx'
import { LoadFailure } from '../../components/trouble.tsx'
import type { Page, PagedList } from '../../paged-list.ts'
import { projectsOf, type Sort, sorts } from './list.ts'
import { chooseLook, type Look, useLook } from './look.ts'
import { ProjectCard } from './project-card.tsx'
import styles from './project-grid.module.css'
import { ProjectRow, rowColumns } from './project-row.tsx'

/** The first page need not wait for it. */
const Activity = lazy(() => import('./activity.tsx'))

interface ProjectGridProps {
  /** Undefined for the workspace of the account. */
  org: string | undefined
  /** The projects that were changed last. */
  recent: Page<ListedProject>
}

export function ProjectGrid({ org, recent }: ProjectGridProps) {
  const { sort, q, choose } = useChosen()
  const look = useLook()
  return (
    <div className={styles.page}>
      <div className={styles.projects}>
        <div className={styles.tools}>
          <SettledSearch
            label="Search projects"
            shortcut="/"
            value={q}
            onChange={value => choose({ q: value })}
          />
          <RowSelect
            label="Sort by"
            value={sort}
            options={sorts}
            onChoose={value => choose({ sort: value })}
          />
          <IconButton
            icon={look === 'cards' ? 'rows' : 'cards'}
            label={look === 'cards' ? 'Show as a list' : 'Show as cards'}
            onClick={() => chooseLook(look === 'cards' ? 'list' : 'cards')}
          />
        </div>
        {q === '' && sort === 'activity' ? (
          <Projects list={projectsOf({ org })} page={recent} look={look} />
        ) : (
          <Found list={projectsOf({ org, sort, q })} before={recent} q={q} look={look} />
        )}
      </div>
      <div className={styles.aside}>
        <Suspense>
          <Activity org={org} projects={recent.rows} />
        </Suspense>
      </div>
    </div>
  )
}

/** What the URL asks for. */
function useChosen() {
  const [path, navigate] = useLocation()
  const asked = new URLSearchParams(useSearch())
  const sort: Sort = asked.get('sort') === 'name' ? 'name' : 'activity'
  const q = asked.get('q') ?? ''
  const choose = (change: { sort?: Sort; q?: string }) => {
    const next = { sort, q, ...change }
    const query = new URLSearchParams({
      ...(next.q !== '' && { q: next.q }),
      ...(next.sort !== 'activity' && { sort: next.sort }),
    }).toString()
    navigate(query === '' ? path : `${path}?${query}`, { replace: true })
  }
  return { sort, q, choose }
}

interface FoundProps {
  list: PagedList<ListedProject>
  /** Shown until the list has loaded. */
  before: Page<ListedProject>
  q: string
  look: Look
}

function Found({ list, before, q, look }: FoundProps) {
  const { data, error, loading, refresh } = list.use()
  const shown = useRef(before)
  if (data) shown.current = data
  if (!data && error !== undefined)
    return <LoadFailure error={error} retry={() => void refresh()} busy={loading} />
  if (data?.rows.length === 0)
    return (
      <Empty title="No project matches">
        <p>No project has “{q}” in its name.</p>
      </Empty>
    )
  // The cursor belongs to the list before.
  return <Projects list={list} page={data ?? { rows: shown.current.rows, next_cursor: null }} look={look} />
}

interface ProjectsProps {
  list: PagedList<ListedProject>
  page: Page<ListedProject>
  look: Look
}

function Projects({ list, page, look }: ProjectsProps) {
  return (
    <>
      {look === 'cards' ? (
        <ul className={styles.grid} aria-label="Projects">
          {page.rows.map(project => (
            <ProjectCard key={project.id} project={project} />
          ))}
        </ul>
      ) : (
        <Rows columns={rowColumns} label="Projects" end="side">
          {page.rows.map(project => (
            <ProjectRow key={project.id} project={project} />
          ))}
        </Rows>
      )}
      <EndlessList list={list} shown={page} />
    </>
  )
}
