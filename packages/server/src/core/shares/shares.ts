// Temporary shares: a site without a project, at a URL that cannot be guessed, for a limited time.
import type { Readable } from 'node:stream'
import { type CreatedShare, type Share, sharePrefix } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { newId, randomText } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page.ts'
import { lockAccount } from '../../store/identity/accounts.ts'
import { insertProject } from '../../store/projects/projects.ts'
import { countShares, endedShares, findShare, listShares, type ShareRow } from '../../store/shares/shares.ts'
import type { Caller } from '../base/caller.ts'
import { requireRoom } from '../base/plans.ts'
import type { DeployParts, PlanSettings, Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { deploy } from '../deployments/deployments.ts'
import type { UploadOrigin } from '../deployments/upload.ts'
import { removeEnded, removeProject } from '../projects/removal.ts'

const batch = 100

/** A share is visible once its upload is live. A failed upload leaves nothing behind. */
export async function createShare(
  platform: DeployParts,
  caller: Caller,
  upload: UploadOrigin & { days: number; confirmRights: () => Promise<void> },
  body: () => Readable,
): Promise<CreatedShare> {
  const row = await reserve(platform, caller, upload.days)
  try {
    const project = { ...row, org_name: null }
    const { deployment_id, warnings } = await deploy(
      platform,
      caller,
      { ...upload, project, branch: undefined },
      body(),
    )
    return { ...describeShare(platform, { ...row, active_deployment_id: deployment_id }), warnings }
  } catch (error) {
    // If this fails, too, the sweep deletes the share later.
    await removeProject(platform, row).catch(() => undefined)
    throw error
  }
}

export async function ownShares(platform: Rows & Pick<Platform, 'urls'>, caller: Caller, page: PageRequest) {
  const now = platform.clock.now()
  const { rows, next_cursor } = await listShares(platform.store.db, caller.account.id, now, page)
  return { shares: rows.map(row => describeShare(platform, row)), next_cursor }
}

export async function deleteShare(platform: Rows, caller: Caller, name: string): Promise<void> {
  const share = await findShare(platform.store.db, caller.account.id, name, platform.clock.now())
  if (!share || !(await removeProject(platform, share)))
    throw new Fault('not_found', `There is no share '${name.slice(0, 60)}' of yours, or it has expired.`)
}

/** Deletes expired shares, and projects whose deletion was interrupted. The edge serves neither. */
export async function removeEndedShares(platform: Rows, startedBefore: number): Promise<void> {
  const { store, clock } = platform
  for (;;) {
    const ended = await endedShares(store.db, clock.now(), startedBefore, batch)
    if (ended.length === 0) return
    for (const share of ended) await removeEnded(platform, share)
  }
}

async function reserve(platform: PlanSettings & Rows, caller: Caller, days: number) {
  const now = platform.clock.now()
  const row = {
    id: newId('prj'),
    name: sharePrefix + randomText(10),
    account_id: caller.account.id,
    org_id: null,
    active_deployment_id: null,
    expires_at: now + days * dayMs,
    created_at: now,
    active_at: null,
    access_mode: 'public',
    password_hash: null,
    access_generation: 0,
  } as const
  await platform.store.transact(async tx => {
    await lockAccount(tx, caller.account.id)
    const have = await countShares(tx, caller.account.id, now)
    await requireRoom(platform, tx, caller.account.id, 'shares', have)
    // 36^10 names: a second one of the same name means that the random source is broken.
    if (!(await insertProject(tx, row))) throw new Error(`the share name ${row.name} came up twice`)
  })
  return row
}

const describeShare = (
  platform: Pick<Platform, 'urls'>,
  row: Pick<ShareRow, 'name' | 'active_deployment_id' | 'created_at' | 'expires_at'>,
): Share => ({
  name: row.name,
  url: platform.urls.site(row.name),
  deployment_id: row.active_deployment_id,
  created_at: isoTime(row.created_at),
  expires_at: isoTime(row.expires_at),
})
