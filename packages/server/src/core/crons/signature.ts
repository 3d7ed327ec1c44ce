// The signature of a scheduled request, which the app and the gate of a protected site verify.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Secret } from '../../lib/secret.ts'
import type { Rows, Vault } from '../base/platform.ts'
import { cronSecretOf } from './secret.ts'

interface Signed {
  /** Unix seconds. */
  timestamp: string
  method: string
  /** With its query. */
  path: string
}

const goodForSeconds = 5 * 60
const remembered = 1_000

export function sign({ timestamp, method, path }: Signed, secret: Secret): string {
  const hmac = createHmac('sha256', secret.reveal()).update(`${timestamp}.${method}.${path}`)
  return `v1=${hmac.digest('hex')}`
}

/** Whether a request was signed for that project within the last five minutes. */
export type IsScheduled = (projectId: string, signed: Signed, signature: string) => Promise<boolean>

export function scheduledRequests(platform: Rows & Vault): IsScheduled {
  /** A project's secret never changes. */
  const secrets = new BoundedCache<{ weight: 1; secret: Secret }>(remembered)

  async function secretOf(projectId: string): Promise<Secret> {
    const known = secrets.get(projectId)?.secret
    if (known) return known
    const secret = await cronSecretOf(platform, projectId)
    secrets.set(projectId, { weight: 1, secret })
    return secret
  }

  return async (projectId, signed, signature) => {
    if (!/^\d{1,12}$/.test(signed.timestamp) || !/^v1=[0-9a-f]{64}$/.test(signature)) return false
    const age = Math.floor(platform.clock.now() / 1000) - Number(signed.timestamp)
    if (Math.abs(age) > goodForSeconds) return false
    const expected = sign(signed, await secretOf(projectId))
    return timingSafeEqual(Buffer.from(expected), Buffer.from(signature))
  }
}

/** Whether a visitor's request is a scheduled job of the project. Such requests pass the gate of a protected site. */
export async function isSignedJob(
  req: IncomingMessage,
  projectId: string,
  isScheduled: IsScheduled,
): Promise<boolean> {
  const { 'x-svc-signature': signature, 'x-svc-timestamp': timestamp } = req.headers
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return false
  return await isScheduled(projectId, { timestamp, method: req.method!, path: req.url! }, signature)
}
