// The platform itself: its health, this API as a document, its metrics.

import type { Platform } from '../../core/base/platform.ts'
import { orgFor } from '../../core/orgs/rights.ts'
import { recentActivity } from '../../core/platform/activity.ts'
import { checkHealth, checkReadiness } from '../../core/platform/health.ts'
import { metricsText } from '../../core/platform/metrics.ts'
import { giveSettings } from '../../core/platform/node-invites.ts'
import { requireKnownHost } from '../../core/projects/known-hosts.ts'
import { type Handlers, RawAnswer } from '../call.ts'
import { makeOpenapi } from '../openapi-document.ts'

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // nginx sends what it has buffered only when the buffer is full, unless told otherwise.
  'x-accel-buffering': 'no',
}

/** An answer that is written as JSON once, and sent many times. */
function jsonAnswer(value: unknown): RawAnswer {
  const body = JSON.stringify(value)
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': `${Buffer.byteLength(body)}`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }
  return new RawAnswer(200, headers, body)
}

export const platformRoutes = (
  platform: Pick<
    Platform,
    | 'backups'
    | 'clock'
    | 'databases'
    | 'disk'
    | 'domain'
    | 'lateStart'
    | 'liveEvents'
    | 'packs'
    | 'requestCounts'
    | 'store'
    | 'urls'
    | 'version'
  >,
) => {
  let openapi: Promise<RawAnswer> | undefined
  return {
    'GET /health': async () => {
      await checkHealth(platform)
      return { ok: true, dashboard_url: platform.urls.dashboard, version: platform.version }
    },
    'GET /health/live': async () => ({ ok: true }),
    'GET /health/ready': async () => {
      await checkReadiness(platform)
      return { ok: true }
    },
    'POST /nodes/join': async ({ ip, body }) => ({ sealed: await giveSettings(platform, ip, body.invite) }),
    'GET /openapi.json': async () => {
      openapi ??= makeOpenapi(platform).then(jsonAnswer)
      return await openapi
    },
    'GET /activity': async ({ caller, query }) => {
      const org = query.org === undefined ? undefined : await orgFor(platform, caller, query.org, 'member')
      return { entries: await recentActivity(platform, caller, org, query.limit) }
    },
    'GET /events': async ({ caller, query }) => {
      const only = query.org === undefined ? undefined : await orgFor(platform, caller, query.org, 'member')
      const stream = await platform.liveEvents.open(caller.tokenId, caller.account.id, only?.id)
      return new RawAnswer(200, streamHeaders, stream)
    },
    'GET /hosts/known': async ({ query }) => {
      await requireKnownHost(platform, query.domain)
      return { ok: true }
    },
    'GET /metrics': async () => {
      const headers = {
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        'cache-control': 'no-store',
      }
      return new RawAnswer(200, headers, await metricsText(platform))
    },
  } satisfies Partial<Handlers>
}
