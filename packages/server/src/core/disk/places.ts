// Which disk an instance of a deployment gets, and whether it may have it now. Production has one disk, and the previews of
// each branch have another. One instance writes at a time: that of the deployment which visitors of the place see.

import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import { ownerId, storedBytes } from '../../store/billing/plan-usage.ts'
import { activeDeployment, findDeployment, newestOfBranch } from '../../store/deployments/deployments.ts'
import { countBranchDisks, findDisk, insertDisk } from '../../store/disk/disks.ts'
import { findProjectById } from '../../store/projects/projects.ts'
import type { Db, Tx } from '../../store/store.ts'
import type { DeploymentRow, DiskRow } from '../../store/tables.ts'
import { requireRoom } from '../base/plans.ts'
import type { PlanSettings } from '../base/platform.ts'

/** How many branches of a project have a disk at a time. */
export const branchesAtMost = 10
/** A request that began before another deployment went live is passed on to that one. */
const handOverMs = 30_000

/** `published`: visitors see it. `published soon`: it is being deployed, or is about to be live again. */
export type Publication = 'published' | 'published soon' | 'superseded'

interface DiskPlace {
  disk: DiskRow
  publication: Publication
  /** The deployment that has the disk, if a request for this one may be passed on to it. */
  successor?: string
}

interface Asking {
  projectId: string
  deploymentId: string
  /** Whether a deploy or a rollback asks, which ends the instance that has the disk. */
  takesDisk: boolean
  /** `undefined` in some tests: there is always room for the disk of a preview. */
  plans: PlanSettings | undefined
}

/** `undefined` if the deployment gets no disk. Makes that of a branch. */
export async function diskPlaceFor(tx: Tx, asking: Asking, now: number): Promise<DiskPlace | undefined> {
  const main = await findDisk(tx, asking.projectId, '')
  if (!main || main.removed_at !== null) return undefined
  const deployment = await findDeployment(tx, asking.projectId, asking.deploymentId)
  // The code of a fork is untrusted.
  if (!deployment || deployment.from_fork === 1) return undefined
  const branch = (await activeDeployment(tx, asking.projectId)) === deployment.id ? '' : branchOf(deployment)
  const disk = branch === '' ? main : await branchDisk(tx, main, branch, { now, plans: asking.plans })
  if (!disk) return undefined
  const { publication, current } = await publicationOf(tx, deployment, asking.takesDisk)
  const successor =
    publication === 'superseded' && current && isRecent(deployment, current, now) ? current.id : undefined
  return { disk, publication, ...(successor !== undefined && { successor }) }
}

const branchOf = ({ git_branch }: Pick<DeploymentRow, 'git_branch'>): string => git_branch ?? ''

/** Whether visitors of its place see the deployment. `current` is the one that they see. */
export async function publicationOf(
  db: Db,
  deployment: DeploymentRow,
  takesDisk: boolean,
): Promise<{ publication: Publication; current: DeploymentRow | undefined }> {
  const current = await currentIn(db, deployment)
  if (current?.id === deployment.id) return { publication: 'published', current }
  const isSoon = takesDisk || deployment.status === 'uploading'
  return { publication: isSoon ? 'published soon' : 'superseded', current }
}

async function currentIn(db: Db, deployment: DeploymentRow): Promise<DeploymentRow | undefined> {
  const { project_id: projectId, id, git_branch: branch } = deployment
  const live = (await activeDeployment(db, projectId)) ?? ''
  if (branch === null || live === id) return await findDeployment(db, projectId, live)
  return await newestOfBranch(db, projectId, branch)
}

const isRecent = (before: DeploymentRow, current: DeploymentRow, now: number): boolean =>
  now - (before.superseded_at ?? current.finished_at ?? 0) < handOverMs

async function branchDisk(
  tx: Tx,
  main: DiskRow,
  branch: string,
  { now, plans }: { now: number; plans: PlanSettings | undefined },
): Promise<DiskRow | undefined> {
  const known = await findDisk(tx, main.project_id, branch)
  if (known) return known
  if ((await countBranchDisks(tx, main.project_id)) >= branchesAtMost) return undefined
  if (plans && !(await hasRoom(plans, tx, main))) return undefined
  const disk: DiskRow = {
    ...main,
    id: newId('dsk'),
    branch,
    used_bytes: null,
    measured_at: null,
    problem: null,
    task: null,
    preview_data: 'empty',
    awaits_copy: main.preview_data === 'copy' ? 1 : 0,
    seeded_at: null,
    created_at: now,
  }
  await insertDisk(tx, disk)
  return disk
}

/** It counts with what it may hold, as that of production does. */
async function hasRoom(plans: PlanSettings, tx: Tx, { project_id, size_bytes }: DiskRow): Promise<boolean> {
  const owner = await findProjectById(tx, project_id)
  if (!owner) return false
  try {
    const have = () => storedBytes(tx, owner)
    await requireRoom(plans, tx, ownerId(owner), 'storedBytes', have, Number(size_bytes))
    return true
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}
