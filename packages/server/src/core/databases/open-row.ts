// The database of a project or of one of its previews, for those who connect from outside.
import { Fault } from '../../lib/fault.ts'
import { findPreviewDatabase } from '../../store/databases/databases.ts'
import type { AppDatabaseRow } from '../../store/databases/rows.ts'
import type { DatabaseParts } from '../base/platform.ts'
import { requireNotSuspended } from '../base/suspension.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { requireDatabase } from './databases.ts'

/** Throws if nobody can connect now. Without a branch it is that of production. */
export async function openRow(
  platform: DatabaseParts,
  project: ProjectScope,
  branch: string | undefined,
): Promise<AppDatabaseRow> {
  const row =
    branch === undefined
      ? await requireDatabase(platform, project)
      : await previewOf(platform, project, branch)
  if (row.ready_at === null)
    throw new Fault('unavailable', 'The database is not complete yet. Try again in a moment.')
  if (row.mode === 'closed')
    throw new Fault('quota_exceeded', 'The database is much larger than its limit, and nobody can connect.')
  await requireNotSuspended(platform.store.db, project.id)
  return row
}

async function previewOf(
  { store }: DatabaseParts,
  { id: projectId }: ProjectScope,
  branch: string,
): Promise<AppDatabaseRow> {
  const row = await findPreviewDatabase(store.db, { projectId, branch })
  if (!row)
    throw new Fault('not_found', "No preview of this branch has a database. 'svc db' lists those that have.")
  return row
}
