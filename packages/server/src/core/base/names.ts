// The naming rules that projects and orgs share.
import { namePattern, sharePrefix } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { findFormerName, isNameTaken } from '../../store/projects/former-names.ts'
import type { Db } from '../../store/store.ts'
import type { Platform } from './platform.ts'

export function checkName(platform: Pick<Platform, 'reservedNames'>, name: string): void {
  if (platform.reservedNames.has(name) || name.startsWith(sharePrefix))
    throw new Fault(
      'reserved_name',
      `The name '${name.slice(0, 60)}' belongs to the platform. Choose another.`,
    )
  if (!namePattern.test(name))
    throw new Fault(
      'invalid_name',
      'A name has 3 to 40 characters of a-z, 0-9 and -, with no - at its ends and no -- inside.',
    )
}

/** A name that another project had lately is kept for that project, so that no stranger gets its visitors. */
export async function requireFreeName(db: Db, name: string, now: number, projectId?: string): Promise<void> {
  // In this order: a rename that is committed between the two queries shows in the second one.
  if (await isNameTaken(db, name)) throw nameTaken(name)
  const former = await findFormerName(db, name, now)
  if (former !== undefined && former.project_id !== projectId) throw nameTaken(name)
}

export const nameTaken = (name: string): Fault =>
  new Fault('name_taken', `The name '${name}' is taken. Choose another.`)
