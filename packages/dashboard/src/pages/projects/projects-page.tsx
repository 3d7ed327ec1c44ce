import { useState } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { PageHeader, PageTitle } from '../../components/page.tsx'
import { Shell } from '../../components/shell.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { notify } from '../../components/toasts.tsx'
import { LoadFailure } from '../../components/trouble.tsx'
import type { Collection } from '../../upload/collect.ts'
import { GettingStarted } from './getting-started.tsx'
import { loadMore, type ProjectList, useProjects } from './list.ts'
import { NewProjectDialog } from './new-project-dialog.tsx'
import { ProjectRows } from './project-rows.tsx'

type Creating = { files?: Collection }

function MoreButton({ list }: { list: ProjectList }) {
  const [busy, setBusy] = useState(false)
  if (!list.next_cursor) return null
  async function more() {
    setBusy(true)
    await loadMore(list).catch(error => notify({ tone: 'error', text: explain(error) }))
    setBusy(false)
  }
  return (
    <Button busy={busy} onClick={() => void more()}>
      Load more
    </Button>
  )
}

export function ProjectsPage() {
  const { data: list, error, loading, refresh } = useProjects()
  const [creating, setCreating] = useState<Creating>()
  const empty = list?.projects.length === 0

  return (
    <Shell>
      <PageHeader
        actions={
          !empty && (
            <Button look="primary" icon="plus" onClick={() => setCreating({})}>
              New project
            </Button>
          )
        }
      >
        <PageTitle title="Projects">{empty ? 'Deploy your first site' : 'Projects'}</PageTitle>
      </PageHeader>
      {!list && error !== undefined && (
        <LoadFailure error={error} retry={() => void refresh()} busy={loading} />
      )}
      {!list && error === undefined && <SkeletonRows count={4} label="Loading projects" />}
      {list && !empty && (
        <ProjectRows projects={list.projects}>
          <MoreButton list={list} />
        </ProjectRows>
      )}
      {empty && <GettingStarted onCreate={() => setCreating({})} onFiles={files => setCreating({ files })} />}
      {creating && <NewProjectDialog {...creating} onClose={() => setCreating(undefined)} />}
    </Shell>
  )
}
