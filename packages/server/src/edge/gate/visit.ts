// A request at the gate of a protected site.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Guard, PasswordGuard } from '../../core/sites.ts'
import { requestedName } from '../hosts.ts'
import { readTarget, type Target } from '../targets.ts'

export interface Visit<G extends Guard = Guard> {
  req: IncomingMessage
  res: ServerResponse
  guard: G
  /** Lower-case, without a port. */
  host: string
  /** Undefined where the request's is not valid. */
  target: Target | undefined
}

export function visitOf(req: IncomingMessage, res: ServerResponse, guard: Guard): Visit {
  return { req, res, guard, host: requestedName(req), target: readTarget(req.url!) }
}

export const asksPassword = (visit: Visit): visit is Visit<PasswordGuard> => visit.guard.mode === 'password'
