// Handles the password form of a protected site: checks the password and issues a pass.
import { rateLimits } from '@svc/contract'
import type { Guard, PasswordGuard } from '../../core/access/guard.ts'
import type { Visitors } from '../../core/access/visitors.ts'
import { Fault } from '../../lib/fault.ts'
import { returnPath } from '../../lib/site-paths.ts'
import type { Exchange } from '../exchange.ts'
import { acceptsHtml, sendPage } from '../pages.ts'
import { redirectIntoSite, sendOk } from './answers.ts'
import { isForeign, readForm } from './form.ts'
import type { Passes } from './passes.ts'
import { sendUnlockPage } from './unlock-page.ts'

/** A request at the gate of a protected site. */
export interface Visit<G extends Guard = Guard> {
  exchange: Exchange
  guard: G
}

export const asksPassword = (visit: Visit): visit is Visit<PasswordGuard> => visit.guard.mode === 'password'

export async function unlock(
  { exchange, guard }: Visit<PasswordGuard>,
  passes: Passes,
  visitors: Visitors,
  address: string,
): Promise<void> {
  const { req, hostname: host } = exchange
  if (isForeign(req, host)) return sendPage(exchange, 'foreignForm')
  let to = '/'
  try {
    const form = await readForm(req, exchange.res)
    to = returnPath(form.get('to'))
    const { right, allowance } = await visitors.tryPassword(guard, form.get('password') ?? '', address)
    const headers = rateHeaders(allowance.remaining)
    if (!right) {
      const problem = 'That is not the password.'
      return sendUnlockPage(exchange, { code: 'unauthorized', to, problem, headers })
    }
    headers.push('Set-Cookie', passes.issue(guard, host, { account: '' }))
    if (acceptsHtml(req)) redirectIntoSite(exchange, to, headers)
    else sendOk(exchange, headers)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { code, message: problem } = error
    sendUnlockPage(exchange, { code, to, problem, headers: headersOf(error, req.complete) })
  }
}

function headersOf({ code, retryAfter }: Fault, wasRead: boolean): string[] {
  const headers = code === 'rate_limit_exceeded' ? rateHeaders(0) : []
  if (retryAfter !== undefined) headers.push('Retry-After', String(retryAfter))
  // The rest of the body is not read, so the connection cannot be used again.
  if (!wasRead) headers.push('Connection', 'close')
  return headers
}

const rateHeaders = (remaining: number): string[] => [
  'X-RateLimit-Limit',
  String(rateLimits.unlock.limit),
  'X-RateLimit-Remaining',
  String(remaining),
]
