// Checks the visitors of protected sites: their password, or their membership in the org.
import { rateLimits } from '@svc/contract'
import { networkOf } from '../../lib/client-address.ts'
import { FairQueue } from '../../lib/fair-queue.ts'
import { Fault } from '../../lib/fault.ts'
import { sha256 } from '../../lib/ids.ts'
import { findMembership, takeAccessCode } from '../../store/access/access.ts'
import type { Rows } from '../base/platform.ts'
import { type Allowance, visitorLimit } from '../base/rate-limit.ts'
import { verifyPassword } from '../identity/passwords.ts'
import type { PasswordGuard } from './guard.ts'

export interface Visitors {
  /** Counts as an attempt, right or wrong. Throws a Fault if there were too many, or if too many checks are waiting. */
  tryPassword(guard: PasswordGuard, password: string, address: string): Promise<Tried>
  /** The member that the code was issued to. A code works once, and only on the host it was issued for. */
  redeem(code: string, at: { projectId: string; host: string }): Promise<string | undefined>
  /** Whether the account is in the org that owns the project. */
  isMember(projectId: string, accountId: string): Promise<boolean>
}

interface Tried {
  right: boolean
  allowance: Allowance
}

/** Hashing runs one at a time, to leave the thread pool to serving files. Sign-ins have their own queue. */
const waitingInAll = 30
/** The limit for one site, so that guessing at one site does not block visitors of others. */
const waitingPerSite = 8

export function visitorsOf(platform: Rows): Visitors {
  const { clock, store } = platform
  const turns = new FairQueue(1, waitingInAll)
  const perSite = new Map<string, number>()
  const count = visitorLimit(platform, rateLimits.unlock, 'Too many tries.')

  return {
    async tryPassword(guard, password, address) {
      const { projectId, passwordHash } = guard
      const waiting = perSite.get(projectId) ?? 0
      const client = networkOf(address)
      if (waiting >= waitingPerSite || turns.isFullFor(client)) throw tooBusy()
      perSite.set(projectId, waiting + 1)
      try {
        const allowance = await count(`unlock ${projectId} ${client}`)
        return { right: await verifyPassword(password, passwordHash?.reveal(), client, turns), allowance }
      } finally {
        const left = perSite.get(projectId)! - 1
        if (left === 0) perSite.delete(projectId)
        else perSite.set(projectId, left)
      }
    },
    async redeem(code, { projectId, host }) {
      const row = await takeAccessCode(store.db, sha256(code))
      const good = row?.project_id === projectId && row.host === host && row.expires_at > clock.now()
      return good && (await this.isMember(projectId, row.account_id)) ? row.account_id : undefined
    },
    async isMember(projectId, accountId) {
      return (await findMembership(store.db, projectId, accountId)).rows.length === 1
    },
  }
}

const tooBusy = (): Fault =>
  new Fault('unavailable', 'Too many passwords are being checked. Try again in a few seconds.', {
    retryAfter: 5,
  })
