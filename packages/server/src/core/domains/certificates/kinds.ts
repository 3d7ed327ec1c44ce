// What a certificate is for. The kind decides how it is proved, what it may cost, and whether it is renewed.
import type { CertificateKind, CertificateRow } from '../../../store/tables.ts'

export function kindOf({ name, domain, project_id, on_demand }: CertificateRow): CertificateKind {
  if (domain !== null) return 'domain'
  if (name.startsWith('*.')) return 'wildcard'
  if (project_id === null) return 'platform'
  return on_demand ? 'demand' : 'project'
}
