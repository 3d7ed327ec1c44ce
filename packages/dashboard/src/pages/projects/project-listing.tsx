// The projects of an account or an org, and what stands there while it has none.
import type { ListedProject } from '@svc/contract'
import type { ReactNode } from 'react'
import { Loaded } from '../../components/loaded.tsx'
import type { Page } from '../../paged-list.ts'
import type { Resource } from '../../resource.ts'
import { GettingStarted } from './getting-started.tsx'
import { type Beginning, NewProjectDialog } from './new-project-dialog.tsx'
import { ProjectGrid } from './project-grid.tsx'

interface ProjectListingProps {
  org?: string
  /** Those that were changed last. */
  projects: Resource<Page<ListedProject>>
  /** What the dialog for a new project begins with, if it is open. */
  creating: Beginning | undefined
  onCreating: (creating: Beginning | undefined) => void
  /** Said above the first steps, while there are no projects. */
  welcome?: ReactNode
}

export function ProjectListing({ org, projects, creating, onCreating, welcome }: ProjectListingProps) {
  return (
    <>
      <Loaded resource={projects} rows={4} label="Loading projects">
        {page =>
          page.rows.length > 0 ? (
            <ProjectGrid org={org} recent={page} />
          ) : (
            <>
              {welcome}
              <GettingStarted org={org} onCreate={onCreating} />
            </>
          )
        }
      </Loaded>
      {creating && <NewProjectDialog org={org} beginsWith={creating} onClose={() => onCreating(undefined)} />}
    </>
  )
}
