import { useState } from 'react'
import { Button, LinkButton } from '../../components/button.tsx'
import { PageHeader, PageTitle } from '../../components/page.tsx'
import { Shell } from '../../components/shell.tsx'
import { Picker } from '../../drop/drop-zone.tsx'
import { href } from '../../paths.ts'
import { projectsOf } from './list.ts'
import type { Beginning } from './new-project-dialog.tsx'
import { ProjectListing } from './project-listing.tsx'

export function ProjectsPage() {
  const [creating, setCreating] = useState<Beginning>()
  const projects = projectsOf({}).use()
  const empty = projects.data?.rows.length === 0
  return (
    <Shell>
      <PageHeader
        actions={
          <>
            <LinkButton href={href('/shares')} icon="link">
              Shares
            </LinkButton>
            {!empty && (
              <>
                <Picker label="Deploy a folder" folder size="normal" target={{ kind: 'new' }} />
                <Button look="primary" icon="plus" onClick={() => setCreating('repository')}>
                  New project
                </Button>
              </>
            )}
          </>
        }
      >
        <PageTitle title="Projects">{empty ? 'Deploy your first site' : 'Projects'}</PageTitle>
      </PageHeader>
      <ProjectListing projects={projects} creating={creating} onCreating={setCreating} />
    </Shell>
  )
}
