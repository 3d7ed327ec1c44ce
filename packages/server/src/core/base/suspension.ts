// Suspension by the operator: visitors of a suspended project get a page with the reason, and its owner can deploy nothing.
import type { Suspension } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { findSuspension, suspensionsOf } from '../../store/projects/suspensions.ts'
import type { Db } from '../../store/store.ts'
import type { SuspensionRow } from '../../store/tables.ts'
import { isoTime } from './times.ts'

/** Of the project itself, or of the account that owns it. */
export async function suspensionOf(db: Db, projectId: string): Promise<SuspensionRow | undefined> {
  return (await suspensionsOf(db, projectId)).rows[0]
}

export async function requireNotSuspended(db: Db, projectId: string): Promise<void> {
  const suspension = await suspensionOf(db, projectId)
  if (suspension) throw suspended(suspension)
}

/** For what an account does outside of its projects. */
export async function requireAccountNotSuspended(db: Db, accountId: string): Promise<void> {
  const suspension = (await findSuspension(db, accountId)).rows[0]
  if (suspension) throw suspended(suspension)
}

const suspended = ({ kind, reason }: SuspensionRow): Fault =>
  new Fault(
    'suspended',
    kind === 'deletion'
      ? 'This belongs to an account that will be deleted. Sign in and keep the account first.'
      : `The operator of the platform suspended this ${kind}: ${reason}`,
  )

/** What visitors of its sites read while an account waits for its deletion. */
export const deletionNotice = { status: 503, reason: 'The owner has taken this site offline.' } as const

export const describeSuspension = (row: SuspensionRow): Suspension => ({
  status: row.status,
  reason: row.reason,
  at: isoTime(Number(row.created_at)),
})
