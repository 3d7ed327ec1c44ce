// The naming rules that projects and orgs share.
import { namePattern, sharePrefix } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import type { Platform } from '../platform/platform.ts'

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
