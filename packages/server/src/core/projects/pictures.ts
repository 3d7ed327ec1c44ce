// Pictures of live sites, for the lists and pages of the dashboard.
import { createHash } from 'node:crypto'
import { hourMs, minuteMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import type { TakePicture } from '../../ports/site-picture/port.ts'
import { claimPicture, endPicture, findMissingPicture, findPicture } from '../../store/projects/pictures.ts'
import type { Platform, Rows } from '../base/platform.ts'

/** How long the claim of a worker lasts, in case the worker dies. */
const heldMs = 2 * minuteMs
/** The pauses after failures. Then the deployment gets no picture. */
const pauses = [minuteMs, hourMs]

/** Makes the next picture. Returns false if none is missing. */
export async function makeNextPicture(
  { store, clock }: Rows,
  take: TakePicture,
  signal: AbortSignal,
): Promise<{ failed?: { project: string; error: unknown } } | undefined> {
  const missing = await findMissingPicture(store.db, clock.now())
  if (!missing) return undefined
  if (!(await claimPicture(store.db, missing, clock.now() + heldMs))) return {}
  const { project_id: projectId, name: project, attempts } = missing
  try {
    const bytes = await take({ projectId, project }, signal)
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    await endPicture(store.db, missing, { next_at: null, hash, base64: bytes.toString('base64') })
    return {}
  } catch (error) {
    // The next worker continues.
    if (signal.aborted) return {}
    const pause = pauses[attempts]
    // Show no picture of another deployment.
    const next_at = pause === undefined ? null : clock.now() + pause
    await endPicture(store.db, missing, { next_at, hash: null, base64: null })
    return { failed: { project, error } }
  }
}

/** The picture of a project as the API sends it. */
export async function pictureOf({ store }: Pick<Platform, 'store'>, projectId: string) {
  const picture = await findPicture(store.db, projectId)
  if (!picture) throw new Fault('not_found', 'There is no picture of this site.')
  return { hash: picture.hash, bytes: Buffer.from(picture.base64, 'base64') }
}
