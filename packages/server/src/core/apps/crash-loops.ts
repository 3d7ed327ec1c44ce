// Notifications of apps that crash again and again, and of the end of that.
import { findDeployment } from '../../store/deployments/deployments.ts'
import { endedCrashLoops } from '../../store/notifications/incidents.ts'
import type { Tx } from '../../store/store.ts'
import type { AppInstanceRow } from '../../store/tables.ts'
import type { Rows } from '../base/platform.ts'
import { notifyOfProblem, notifyOfRecovery } from '../notifications/notify.ts'

/** So many crashes in a row are a crash loop. A restart repairs fewer. */
const crashLoop = 3
/** The app is sound again after it ran this long. */
export const soundAfterMs = 60_000

const about = (projectId: string, deploymentId: string) => ({
  event: 'app.crashing' as const,
  projectId,
  subject: deploymentId,
  page: `/deployments/${deploymentId}`,
})

export async function notifyOfCrash(
  tx: Tx,
  { project_id, deployment_id }: AppInstanceRow,
  { crashes, error, now }: { crashes: number; error: string | null; now: number },
): Promise<void> {
  if (crashes < crashLoop) return
  // A deployment that was replaced serves only its permanent URL. Its crashes are no incident.
  const deployment = await findDeployment(tx, project_id, deployment_id)
  if (deployment?.status === 'superseded') return
  const words = `the app crashed ${crashes} times in a row.`
  await notifyOfProblem(tx, now, { ...about(project_id, deployment_id), words, error, facts: { crashes } })
}

/** Says that an app works again, or that another deployment replaced it. */
export async function notifyOfSoundApps({ store, clock }: Rows): Promise<void> {
  const now = clock.now()
  const over = await endedCrashLoops(store.db, now - soundAfterMs)
  if (over.length === 0) return
  await store.transact(async tx => {
    for (const { project_id, subject, status } of over) {
      const isReplaced = status === null || status === 'superseded'
      const words = isReplaced ? 'the app that crashed was replaced.' : 'the app works again.'
      await notifyOfRecovery(tx, now, { ...about(project_id, subject), words })
    }
  })
}
