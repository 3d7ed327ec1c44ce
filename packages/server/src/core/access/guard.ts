// Who may see a site that is not public, as the edge sees it.
import type { Secret } from '../../lib/secret.ts'

export type Guard = PasswordGuard | OrgGuard

interface AnyGuard {
  projectId: string
  project: string
  /** Passes of other generations are invalid. */
  generation: number
}

export interface PasswordGuard extends AnyGuard {
  mode: 'password'
  passwordHash: Secret | undefined
}

interface OrgGuard extends AnyGuard {
  mode: 'org'
}
