// The gate of protected sites: it stands on every host of a project and before everything behind it, so that nothing
// of the site, not even which files exist, is told to a visitor who was not let in.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IsScheduled } from '../../core/crons/signature.ts'
import type { Guard } from '../../core/sites.ts'
import type { Visitors } from '../../core/visitors.ts'
import type { Clock } from '../../lib/clock.ts'
import { returnPath } from '../../lib/return-path.ts'
import type { Secret } from '../../lib/secret.ts'
import { acceptsHtml, sendPage } from '../pages.ts'
import type { Target } from '../targets.ts'
import { sendBack, sendElsewhere } from './answers.ts'
import { Memberships } from './memberships.ts'
import { Passes } from './passes.ts'
import { isSignedJob } from './scheduled.ts'
import { unlock } from './unlock.ts'
import { sendUnlockPage, unlockPath } from './unlock-page.ts'
import { asksPassword, type Visit, visitOf } from './visit.ts'

export interface Gate {
  /** True where the visitor may go on; otherwise the request is answered. */
  admits(req: IncomingMessage, res: ServerResponse, guard: Guard): Promise<boolean>
}

export interface GateParts {
  visitors: Visitors
  /** Whether a request is one of the project's own scheduled jobs. */
  isScheduled: IsScheduled
  clock: Clock
  /** Signs visitors' cookies. */
  key: Secret
  /** Browsers reach the sites over HTTPS. */
  secure: boolean
  dashboard: string
  clientAddress(req: IncomingMessage): string
}

/** Where the dashboard sends members, with a code. */
const accessPath = '/_svc/access'

export function createGate(parts: GateParts): Gate {
  const { visitors, clock, dashboard, clientAddress } = parts
  const passes = new Passes(parts)
  const memberships = new Memberships((project, account) => visitors.isMember(project, account), clock)

  async function holdsPass({ req, guard, host }: Visit): Promise<boolean> {
    const pass = passes.find(req.headers.cookie, guard, host)
    if (pass === undefined) return false
    return guard.mode === 'password' || (await memberships.has(guard.projectId, pass.account))
  }

  function turnAway({ req, res, guard, host, target }: Visit): void {
    const to = returnPath(written(target))
    if (guard.mode === 'password') sendUnlockPage(req, res, { code: 'unauthorized', host, to })
    else if (!isReading(req) || !acceptsHtml(req)) sendPage(req, res, 'membersOnly')
    // The dashboard knows who the visitor is, and sends a member back with a code.
    else
      sendElsewhere(res, `${dashboard}/access?${new URLSearchParams({ project: guard.project, host, to })}`)
  }

  async function enterWithCode({ req, res, guard, host, target }: Visit): Promise<void> {
    const query = new URLSearchParams(target?.query)
    const account = await visitors.redeem(query.get('code') ?? '', { projectId: guard.projectId, host })
    if (account === undefined) return sendPage(req, res, 'linkUsed')
    sendBack(res, returnPath(query.get('to')), ['Set-Cookie', passes.issue(guard, host, { account })])
  }

  return {
    async admits(req, res, guard) {
      const visit = visitOf(req, res, guard)
      const path = visit.target?.path
      if (path === unlockPath && req.method === 'POST' && asksPassword(visit)) {
        await unlock(visit, passes, visitors, clientAddress(req))
        return false
      }
      const admitted =
        (await isSignedJob(req, guard.projectId, parts.isScheduled)) || (await holdsPass(visit))
      if (admitted && path !== unlockPath && path !== accessPath) return true
      if (admitted) sendBack(res, returnPath(new URLSearchParams(visit.target?.query).get('to')))
      else if (path === accessPath && req.method === 'GET' && guard.mode === 'org') await enterWithCode(visit)
      else turnAway(visit)
      return false
    },
  }
}

const isReading = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

/** The address as the visitor wrote it, in characters that a URL may have. */
function written(target: Target | undefined): string | undefined {
  if (target === undefined) return undefined
  return (target.written + target.query).replace(
    /[\x80-\xff]/g,
    byte => `%${byte.charCodeAt(0).toString(16)}`,
  )
}
