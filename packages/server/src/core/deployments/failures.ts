// Notifications of deployments that failed, and of uploads that ended because the server stopped.
import { hasBuildOf } from '../../store/builds/builds.ts'
import { discardPacks } from '../../store/deployments/discarded-packs.ts'
import { failInterrupted } from '../../store/deployments/uploads.ts'
import type { Tx } from '../../store/store.ts'
import type { DeploymentRow } from '../../store/tables.ts'
import type { Rows } from '../base/platform.ts'
import { notify } from '../notifications/notify.ts'

export async function notifyOfFailure(
  tx: Tx,
  now: number,
  { id, project_id, git_branch }: Pick<DeploymentRow, 'id' | 'project_id' | 'git_branch'>,
  error: string,
): Promise<void> {
  await notify(tx, now, {
    event: 'deploy.failed',
    projectId: project_id,
    subject: id,
    words: git_branch === null ? 'a deployment failed.' : `a deployment of the branch ${git_branch} failed.`,
    error,
    facts: { branch: git_branch },
    page: `/deployments/${id}`,
  })
}

/** Marks uploads as failed whose server stopped, and lets the sweep delete their files. Returns their number. */
export async function endInterrupted(
  { store, clock }: Rows,
  which: Parameters<typeof failInterrupted>[1],
  error: string,
): Promise<number> {
  return await store.transact(async tx => {
    const failed = await failInterrupted(tx, which, error)
    const withFiles = failed.filter(row => row.parts_until === null).map(({ id }) => id)
    await discardPacks(tx, withFiles, clock.now())
    for (const row of failed)
      if (!(await isOfBuild(tx, row))) await notifyOfFailure(tx, clock.now(), row, error)
    return failed.length
  })
}

/** The upload of a build is repeated with the build, which sends its own notification. */
const isOfBuild = async (
  tx: Tx,
  { project_id, git_sha }: Pick<DeploymentRow, 'project_id' | 'git_sha'>,
): Promise<boolean> => git_sha !== null && (await hasBuildOf(tx, project_id, git_sha))
