import { AuditLog } from '../../platform/audit/audit-log.tsx'
import { auditOf } from '../../platform/audit/lists.ts'
import { ProjectLayout } from './project-layout.tsx'

export function ActivityPage() {
  return (
    <ProjectLayout tab="Activity">
      {project => <AuditLog of="project" list={auditOf('project', project.name)} />}
    </ProjectLayout>
  )
}
