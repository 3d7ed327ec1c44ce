// Who may see a site that is not public, as the edge sees it.
import type { Secret } from '../../lib/secret.ts'

export type Guard = PasswordGuard | OrgGuard

interface AnyGuard {
  projectId: string
  project: string
  /** Passes of other generations are invalid. */
  generation: number
  /** The share links of this preview. Production has none. */
  links?: readonly GuardLink[]
}

/** The path of a preview that takes the secret of a share link. */
export const sharePath = '/_svc/share'

export interface GuardLink {
  id: string
  secretHash: string
  /** Checked on every request. */
  expiresAt: number
}

export interface PasswordGuard extends AnyGuard {
  mode: 'password'
  passwordHash: Secret | undefined
}

interface OrgGuard extends AnyGuard {
  mode: 'org'
}
