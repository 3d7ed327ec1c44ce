// Previews beyond the limit start without a database. Their deployment and the log of their app say so.
import { limits } from '@svc/contract'
import { findDatabase, findPreviewDatabase } from '../../store/databases/databases.ts'
import type { Db } from '../../store/store.ts'
import type { DeploymentRow } from '../../store/tables.ts'

type Preview = Pick<DeploymentRow, 'project_id' | 'git_branch' | 'from_fork'>

/** The warning, for an app that has started. `undefined` if there is nothing to warn of. */
export async function whyNoDatabase(
  db: Db,
  { project_id: projectId, git_branch: branch, from_fork }: Preview,
): Promise<string | undefined> {
  if (branch === null || from_fork === 1 || !(await findDatabase(db, projectId))) return undefined
  return (await findPreviewDatabase(db, { projectId, branch })) ? undefined : noDatabase
}

const noDatabase = `This preview has no database: ${limits.previewDatabases} branches of the project have one already, or the database server has no connections left. Delete a branch, wait an hour, and deploy again.`
