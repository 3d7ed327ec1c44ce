import { useState } from 'react'
import { Button, LinkButton } from '../../components/button.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageHeader, PageTitle } from '../../components/page.tsx'
import { Shell } from '../../components/shell.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { LoadFailure } from '../../components/trouble.tsx'
import type { Collection } from '../../upload/collect.ts'
import { GettingStarted } from './getting-started.tsx'
import { projectList } from './list.ts'
import { NewProjectDialog } from './new-project-dialog.tsx'
import { ProjectRows } from './project-rows.tsx'

type Creating = { files?: Collection }

export function ProjectsPage() {
  const { data: page, error, loading, refresh } = projectList.use()
  const [creating, setCreating] = useState<Creating>()
  const empty = page?.rows.length === 0

  return (
    <Shell>
      <PageHeader
        actions={
          <>
            <LinkButton href="/shares" icon="link">
              Shares
            </LinkButton>
            {!empty && (
              <Button look="primary" icon="plus" onClick={() => setCreating({})}>
                New project
              </Button>
            )}
          </>
        }
      >
        <PageTitle title="Projects">{empty ? 'Deploy your first site' : 'Projects'}</PageTitle>
      </PageHeader>
      {!page && error !== undefined && (
        <LoadFailure error={error} retry={() => void refresh()} busy={loading} />
      )}
      {!page && error === undefined && <SkeletonRows count={4} label="Loading projects" />}
      {page && !empty && <ProjectRows projects={page.rows} />}
      {page && <MoreButton list={projectList} shown={page} />}
      {empty && <GettingStarted onCreate={() => setCreating({})} onFiles={files => setCreating({ files })} />}
      {creating && <NewProjectDialog {...creating} onClose={() => setCreating(undefined)} />}
    </Shell>
  )
}
