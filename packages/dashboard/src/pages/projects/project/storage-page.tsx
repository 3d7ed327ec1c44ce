// What the server app of a project keeps: its disk.
import { useOrgs } from '../../../orgs.ts'
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
        </div>
      )}
    </ProjectLayout>
  )
}
