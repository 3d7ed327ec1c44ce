// Asks at a terminal whether the disk goes back with its app.
import type { Answer, EndpointTable } from '@svc/contract'
import { ApiError, type Sparse, type SparseClient } from '@svc/contract/client'
import { clean, minute, notice } from '../../output.ts'
import { canAsk, confirm } from '../../prompt.ts'
import { restore } from '../disk/snapshots.ts'

type Deployment = Sparse<Answer<EndpointTable['GET /projects/:name']>['deployments'][number]>
type Snapshot = Sparse<Answer<EndpointTable['GET /projects/:name/disk/snapshots']>['snapshots'][number]>

/** The disk as it was when this deployment went live. `undefined` if there is no such snapshot, or nobody to ask. */
export async function snapshotBefore(
  call: SparseClient,
  name: string,
  { kind, created_at: since }: Deployment,
): Promise<Snapshot | undefined> {
  if (kind !== 'server' || !since || !canAsk()) return undefined
  try {
    const { snapshots } = await call('GET /projects/:name/disk/snapshots', { params: { name } })
    // The newest stands first.
    return snapshots?.findLast(({ reason, created_at }) => reason === 'deploy' && (created_at ?? '') >= since)
  } catch (error) {
    // No disk, or not for the caller.
    if (error instanceof ApiError) return undefined
    throw error
  }
}

export async function offerDisk(
  call: SparseClient,
  name: string,
  { id, created_at }: Snapshot,
): Promise<void> {
  notice(
    `The disk stays as it is. The snapshot ${clean(id)} of ${minute(created_at)} has it as it was before the deploy that you took back.`,
  )
  if (!(await confirm('Take the disk back, too? What it holds now is kept as a snapshot.', false))) return
  await restore(call, name, id ?? '')
  notice(`Restored ${clean(id)} to the disk.`)
}
