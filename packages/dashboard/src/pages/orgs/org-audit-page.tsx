import { saveFile } from '../../api.ts'
import { ExportButton } from '../../components/export-button.tsx'
import { AuditLog } from '../platform/audit/audit-log.tsx'
import { auditOf } from '../platform/audit/lists.ts'
import { OrgLayout } from './org-layout.tsx'

export function OrgAuditPage() {
  return (
    <OrgLayout
      tab="Activity"
      actions={({ name }) => <ExportButton save={() => saveLog(name)}>Export as JSON lines</ExportButton>}
    >
      {org => <AuditLog of="org" list={auditOf('org', org.name)} />}
    </OrgLayout>
  )
}

const saveLog = (name: string): Promise<void> =>
  saveFile('GET /orgs/:name/audit/export', { name }, `${name}-audit.jsonl`)
