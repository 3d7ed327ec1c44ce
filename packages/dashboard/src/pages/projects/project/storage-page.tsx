// What the server app of a project keeps: its disk and its database.
import { useOrgs } from '../../../orgs.ts'
import { DatabaseSection } from '../../databases/database-section.tsx'
import { DiskSection } from '../../disk/disk-section.tsx'
import { mayDo } from './owners.ts'
import { ProjectLayout } from './project-layout.tsx'
import styles from './storage-page.module.css'

export function StoragePage() {
  const { data: orgs } = useOrgs()
  return (
    <ProjectLayout tab="Storage">
      {project => (
        <div className={styles.page}>
          <DiskSection
            project={project.name}
            allowed={mayDo(project, orgs, 'PUT /projects/:name/disk') === true}
          />
          <DatabaseSection
            project={project.name}
            allowed={mayDo(project, orgs, 'POST /projects/:name/database') === true}
          />
        </div>
      )}
    </ProjectLayout>
  )
}
