// The projects of a workspace as a grid, with a search, an order, and what happened last in all of them.
import type { ListedProject } from '@svc/contract'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { Empty } from '../../components/empty.tsx'
import { Icon } from '../../components/icon.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { RowSelect } from '../../components/select.tsx'
import type { Page, PagedList } from '../../paged-list.ts'
import { star } from './list.ts'
import { arrange, failedBuilds, lastDeploys, sortOf, sorts } from './order.ts'
import { ProjectCard } from './project-card.tsx'
import styles from './project-grid.module.css'

/** How many deployments the activity names. */
const activityRows = 6

/** It is below the projects, so the first page need not wait for it. */
const Activity = lazy(() => import('./activity.tsx'))

interface ProjectGridProps {
  /** Undefined for the workspace of the account. */
  org: string | undefined
  list: PagedList<ListedProject>
  page: Page<ListedProject>
}

export function ProjectGrid({ org, list, page }: ProjectGridProps) {
  const [search, setSearch] = useState('')
  const [path, navigate] = useLocation()
  const sort = sortOf(new URLSearchParams(useSearch()).get('sort'))
  const found = arrange(page.rows, { search, sort })
  return (
    <div className={styles.page}>
      <div className={styles.tools}>
        <SearchField value={search} onChange={setSearch} />
        <RowSelect
          label="Sort by"
          value={sort}
          options={sorts}
          onChoose={value =>
            navigate(value === 'deployed' ? path : `${path}?sort=${value}`, { replace: true })
          }
        />
      </div>
      {found.length === 0 ? (
        <Empty title="No project matches">
          <p>No project has “{search.trim()}” in its name.</p>
        </Empty>
      ) : (
        <ul className={styles.grid} aria-label="Projects">
          {found.map(project => (
            <ProjectCard
              key={project.id}
              project={project}
              onStar={starred => void star(list, project.name, starred)}
            />
          ))}
        </ul>
      )}
      <MoreButton list={list} shown={page} />
      {search === '' && (
        <Suspense>
          <Activity
            org={org}
            deploys={lastDeploys(page.rows, activityRows)}
            builds={failedBuilds(page.rows)}
          />
        </Suspense>
      )}
    </div>
  )
}

/** The key `/` focuses the search field of any page. */
function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }): ReactNode {
  return (
    <label className={styles.search}>
      <Icon name="search" />
      <input
        type="search"
        aria-label="Search projects"
        aria-keyshortcuts="/"
        placeholder="Search projects"
        maxLength={100}
        value={value}
        onChange={event => onChange(event.target.value)}
        onKeyDown={event => event.key === 'Escape' && onChange('')}
      />
      <kbd>/</kbd>
    </label>
  )
}
