// The certificates of the whole platform, as its operator sees them.
import type { AdminCertificate } from '@svc/contract'
import type { PageRequest } from '../../lib/page.ts'
import { listCertificates, ownCertificates } from '../../store/admin/certificates.ts'
import type { Platform } from '../base/platform.ts'
import { isoTimeOrNull } from '../base/times.ts'

type Row =
  | Awaited<ReturnType<typeof listCertificates>>['rows'][number]
  | Awaited<ReturnType<typeof ownCertificates>>[number]

/** The first page begins with the platform's own certificates. */
export async function certificates(
  { store }: Pick<Platform, 'store'>,
  page: PageRequest,
): Promise<{ certificates: AdminCertificate[]; next_cursor: string | null }> {
  const own = page.cursor === undefined ? await ownCertificates(store.db) : []
  const { rows, next_cursor } = await listCertificates(store.db, page)
  return { certificates: [...own, ...rows].map(describe), next_cursor }
}

const describe = (row: Row): AdminCertificate => ({
  name: row.name,
  project: row.project,
  state: row.verified_at === null ? 'unproved' : (row.state ?? 'none'),
  expires_at: isoTimeOrNull(row.expires_at),
  next_at: isoTimeOrNull(row.next_at),
  waiting_for: row.waiting_for,
  error: row.error,
})
