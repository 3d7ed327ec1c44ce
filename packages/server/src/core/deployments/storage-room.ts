// Checks that there is room for an upload: in the owner's plan, and on the machine's disk.
import { Fault } from '../../lib/fault.ts'
import { bytesPerDeployment, type Owner, ownerId, storedBytes } from '../../store/billing/plan-usage.ts'
import { lockAccount } from '../../store/identity/accounts.ts'
import { lockOrg } from '../../store/orgs/orgs.ts'
import type { Db, Tx } from '../../store/store.ts'
import { requireRoom } from '../base/plans.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'

const MB = 1024 * 1024
const GB = 1024 * MB

/** Runs before a byte is read. Refuses the upload if the owner is already over the limit, or if the disk is full. */
export async function requireRoomToUpload(
  platform: PlanSettings & Rows & Pick<Platform, 'disk'>,
  owner: Owner,
): Promise<void> {
  await requireDisk(platform)
  await requireStorage(platform, platform.store.db, owner, 0)
}

/** Runs in the transaction that publishes. It locks the owner's row first, so that parallel uploads cannot pass together. */
export async function requireRoomToPublish(
  platform: PlanSettings,
  tx: Tx,
  owner: Owner,
  bytes: number,
): Promise<void> {
  if (owner.org_id) await lockOrg(tx, owner.org_id)
  else if (owner.account_id) await lockAccount(tx, owner.account_id)
  await requireStorage(platform, tx, owner, bytes)
}

export async function requireStorage(
  platform: PlanSettings,
  db: Db,
  owner: Owner,
  bytes: number,
): Promise<void> {
  const have = () => storedBytes(db, owner)
  await requireRoom(platform, db, ownerId(owner), 'storedBytes', have, bytes + bytesPerDeployment)
}

/** The setting, or a twentieth of the disk, at most 1 GB. */
export const reserveOf = (setting: number | undefined, totalBytes: number): number =>
  setting ?? Math.min(totalBytes / 20, GB)

/** The reserve keeps the database, logs and certificates working, so that serving goes on. */
export async function requireDisk({ disk }: Pick<Platform, 'disk'>): Promise<void> {
  const { freeBytes, totalBytes } = await disk.space()
  const reserve = reserveOf(disk.reserveBytes, totalBytes)
  if (freeBytes >= reserve) return
  throw new Fault(
    'insufficient_storage',
    `The server's disk has ${Math.floor(freeBytes / MB)} MB left, and keeps ${Math.floor(reserve / MB)} MB in reserve, so it takes no uploads. Delete old deployments with 'svc deployments rm <deployment-id>'; the operator can add room or change SVCD_DISK_RESERVE_MB.`,
  )
}
