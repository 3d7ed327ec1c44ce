// The gate of protected sites. It runs on every host of a project, before files, forms and the app. So a visitor without
// access cannot learn which files exist.

import { type Guard, sharePath } from '../../core/access/guard.ts'
import type { Visitors } from '../../core/access/visitors.ts'
import { type IsScheduled, isSignedJob } from '../../core/crons/signature.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Secret } from '../../lib/secret.ts'
import { returnPath } from '../../lib/site-paths.ts'
import type { Exchange } from '../exchange.ts'
import { acceptsHtml, sendPage } from '../pages.ts'
import type { Target } from '../targets.ts'
import { redirectIntoSite, redirectToDashboard } from './answers.ts'
import { Memberships } from './memberships.ts'
import { isLink, Passes } from './passes.ts'
import { linkOf } from './share-links.ts'
import { asksPassword, unlock, type Visit } from './unlock.ts'
import { sendUnlockPage, unlockPath } from './unlock-page.ts'

export interface Gate {
  /** Returns true if the request may go on to the site. Otherwise it answers the request and returns false. */
  admits(exchange: Exchange, guard: Guard): Promise<boolean>
}

interface GateParts {
  visitors: Visitors
  /** Whether a request is one of the project's own scheduled jobs. */
  isScheduled: IsScheduled
  clock: Clock
  /** Signs the passes of visitors. */
  key: Secret
  /** Whether browsers reach the sites over HTTPS. */
  secure: boolean
  dashboard: string
  clientAddress(exchange: Exchange): string
}

/** The dashboard redirects members to this path of the site, with a code. */
const accessPath = '/_svc/access'

/** The paths of the gate itself. A visitor who has a pass already goes on to the site from there. */
const ownPaths = new Set<string | undefined>([unlockPath, accessPath, sharePath])

export function createGate(parts: GateParts): Gate {
  const { visitors, clock, dashboard, clientAddress } = parts
  const passes = new Passes(parts)
  const memberships = new Memberships((project, account) => visitors.isMember(project, account), clock)

  async function holdsPass({ exchange, guard }: Visit): Promise<boolean> {
    const pass = passes.find(exchange.req.headers.cookie, guard, exchange.hostname)
    if (pass === undefined) return false
    return (
      isLink(pass.account) ||
      guard.mode === 'password' ||
      (await memberships.has(guard.projectId, pass.account))
    )
  }

  function turnAway({ exchange, guard }: Visit): void {
    const { hostname: host } = exchange
    const to = returnPath(written(exchange.target))
    if (guard.mode === 'password') return void sendUnlockPage(exchange, { code: 'unauthorized', to })
    if (!exchange.isReading || !acceptsHtml(exchange.req)) return void sendPage(exchange, 'membersOnly')
    // The dashboard redirects a signed-in member back to `accessPath`, with a code.
    const query = new URLSearchParams({ project: guard.project, host, to })
    redirectToDashboard(exchange, `${dashboard}/access?${query}`)
  }

  async function enterWithCode({ exchange, guard }: Visit): Promise<void> {
    const { hostname: host } = exchange
    const query = new URLSearchParams(exchange.target?.query)
    const account = await visitors.redeem(query.get('code') ?? '', { projectId: guard.projectId, host })
    if (account === undefined) return sendPage(exchange, 'linkUsed')
    redirectIntoSite(exchange, returnPath(query.get('to')), [
      'Set-Cookie',
      passes.issue(guard, host, { account }),
    ])
  }

  /** Returns false if the secret in the URL is not that of a link to this preview. */
  function enterWithLink({ exchange, guard }: Visit): boolean {
    const query = new URLSearchParams(exchange.target?.query)
    const link = linkOf(guard, query.get('key') ?? '', clock.now())
    if (link === undefined) return false
    const cookie = passes.issueOfLink(guard, exchange.hostname, link)
    redirectIntoSite(exchange, returnPath(query.get('to')), ['Set-Cookie', cookie])
    return true
  }

  return {
    async admits(exchange, guard) {
      const visit: Visit = { exchange, guard }
      const { method, target } = exchange
      const path = target?.path
      if (path === unlockPath && method === 'POST' && asksPassword(visit)) {
        await unlock(visit, passes, visitors, clientAddress(exchange))
        return false
      }
      if (path === sharePath && exchange.isReading && enterWithLink(visit)) return false
      const admitted =
        (await isSignedJob(exchange.req, guard.projectId, parts.isScheduled)) || (await holdsPass(visit))
      if (admitted && !ownPaths.has(path)) return true
      if (admitted) redirectIntoSite(exchange, returnPath(new URLSearchParams(target?.query).get('to')))
      else if (path === accessPath && method === 'GET' && guard.mode === 'org') await enterWithCode(visit)
      else if (path === sharePath) sendPage(exchange, 'shareLinkOver')
      else turnAway(visit)
      return false
    },
  }
}

/** The path and query as the visitor sent them, with bytes above 0x7f percent-encoded. */
function written(target: Target | undefined): string | undefined {
  if (target === undefined) return undefined
  return (target.written + target.query).replace(
    /[\x80-\xff]/g,
    byte => `%${byte.charCodeAt(0).toString(16)}`,
  )
}
