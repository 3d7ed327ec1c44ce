import { AuditLog } from '../platform/audit/audit-log.tsx'
import { auditOf } from '../platform/audit/lists.ts'
import { OrgLayout } from './org-layout.tsx'

export function OrgAuditPage() {
  return <OrgLayout tab="Activity">{org => <AuditLog of="org" list={auditOf('org', org.name)} />}</OrgLayout>
}
