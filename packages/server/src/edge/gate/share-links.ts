// Finds the share link whose secret a visitor brings. The links of a preview are in memory, so guesses cost no query.
import { timingSafeEqual } from 'node:crypto'
import type { Guard, GuardLink } from '../../core/access/guard.ts'
import { sha256 } from '../../lib/ids.ts'

export function linkOf({ links = [] }: Guard, secret: string, now: number): GuardLink | undefined {
  const given = Buffer.from(sha256(secret))
  return links.find(link => timingSafeEqual(Buffer.from(link.secretHash), given) && link.expiresAt > now)
}
