// Authenticates the caller of an endpoint, as the endpoint's row requires.
import type { IncomingMessage } from 'node:http'
import type { Access, Endpoint } from '@svc/contract'
import type { Caller } from '../core/base/caller.ts'
import type { TokenParts } from '../core/base/platform.ts'
import { callerBehind } from '../core/identity/callers.ts'
import { Fault } from '../lib/fault.ts'

const kinds: Record<Access, readonly Caller['kind'][]> = {
  none: [],
  user: ['cli'],
  'user or deploy': ['cli', 'deploy'],
  'platform admin': ['cli'],
}

/** The token of a request. `undefined` if there is none, or if its format is not that of a token. */
export const bearerOf = (req: IncomingMessage): string | undefined =>
  /^Bearer +([A-Za-z0-9_-]{1,100})$/i.exec(req.headers.authorization ?? '')?.[1]

export async function authenticate(
  platform: TokenParts,
  { access, audit = [], status, whileDeleting }: Endpoint,
  req: IncomingMessage,
  ip: string,
): Promise<Caller> {
  const secret = bearerOf(req)
  if (!secret) throw new Fault('unauthorized', 'This needs a token: Authorization: Bearer <token>.')
  const caller = await callerBehind(platform, secret, ip)
  if (!caller)
    throw new Fault(
      'unauthorized',
      "The token is unknown, revoked, or of the kind 'ai', which the API refuses.",
    )
  if (!kinds[access].includes(caller.kind))
    throw new Fault(
      'unauthorized',
      `A token of the kind '${caller.kind}' may not do this. It can deploy, roll back and revalidate.`,
    )
  if (access === 'platform admin' && !caller.account.isAdmin)
    throw new Fault(
      'forbidden',
      'Only platform admins may do this. The first account of the platform is one.',
    )
  // A deploy token acts for its org, which stays.
  const mayChange = req.method !== 'GET' || status === 101
  if (caller.me.delete_at && caller.kind === 'cli' && mayChange && !whileDeleting)
    throw new Fault(
      'forbidden',
      `This account will be deleted at ${caller.me.delete_at}. To change anything, keep it first: svc account keep, or sign in to the dashboard.`,
    )
  caller.audits = audit
  return caller
}
