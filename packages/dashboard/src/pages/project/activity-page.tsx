import { AuditLog } from '../audit/audit-log.tsx'
import { auditOf } from '../audit/lists.ts'
import { ProjectLayout } from './project-layout.tsx'

export function ActivityPage() {
  return (
    <ProjectLayout tab="Activity">
      {project => <AuditLog of="project" list={auditOf('project', project.name)} />}
    </ProjectLayout>
  )
}
