// The limits on requests to the API, as the rows of the endpoints name them. Answers say how much is left.
import type { ServerResponse } from 'node:http'
import { type Endpoint, type RateLimit, type RateLimitName, rateLimits } from '@svc/contract'
import type { Caller } from '../core/base/caller.ts'
import type { Rows, Vault } from '../core/base/platform.ts'
import { type Allowance, limitInBlocks, refund, spend } from '../core/base/rate-limit.ts'
import { knownDevice } from '../core/identity/known-devices.ts'
import { networkOf } from '../lib/client-address.ts'
import { Fault } from '../lib/fault.ts'
import { sha256 } from '../lib/ids.ts'

interface LimitedRequest {
  endpoint: Endpoint
  ip: string
  caller: Caller | undefined
  params: Record<string, string | undefined>
}

/** What is left to check of a request that the limits let through. */
interface Passed {
  /** Checks the limits that depend on what the body says. */
  checkBody(body: unknown): Promise<void>
  succeeded(): Promise<void>
}

const unlimited: Passed = { checkBody: async () => undefined, succeeded: async () => undefined }

/** Counts a request, and throws if it is one too many. */
export type LimitRate = (request: LimitedRequest, res: ServerResponse) => Promise<Passed>

export function limitRates(platform: Rows & Vault): LimitRate {
  const limitWrites = limitInBlocks(platform, rateLimits.writes, 'This account makes too many changes.')
  return async (request, res) => {
    if (request.endpoint.rateLimits.length === 0) return unlimited
    const passed: Passed = { ...unlimited }
    const refundable: string[] = []
    const refundAll = async () => {
      for (const counter of refundable) await refund(platform, counter)
    }
    for (const name of request.endpoint.rateLimits) {
      const rule: RateLimit = rateLimits[name]
      const counter = counterOf(name, rule, request)
      // The core counts what only it knows, such as the emails that a request sends.
      if (counter === undefined) continue
      if (name === 'writes') {
        await limitWrites(counter)
      } else if (rule.per === 'sign-in') {
        passed.checkBody = await limitSignIn(platform, counter, res)
      } else {
        const allowance = await spend(platform, counter, rule)
        // A request that another limit refuses does not count as a failed one.
        if (allowance.retryAfter !== undefined) await refundAll()
        enforce(res, allowance)
        if (rule.failuresOnly) refundable.push(counter)
      }
    }
    if (refundable.length > 0) passed.succeeded = refundAll
    return passed
  }
}

/** The name of the counter for this limit. `undefined` if the core counts it. */
function counterOf(name: RateLimitName, { per }: RateLimit, request: LimitedRequest): string | undefined {
  switch (per) {
    case 'account':
      return `${name} ${payerOf(request.caller)}`
    case 'address':
    case 'sign-in':
      return `${name} ip ${networkOf(request.ip)}`
    case 'deploy hook':
      return `${name} ${sha256(request.params.secret ?? '')}`
    default:
      return undefined
  }
}

/** A leaked token of an org or for one project must not keep its creator from changing anything, such as revoking it. */
function payerOf(caller: Caller | undefined): string {
  if (caller?.project) return `project ${caller.project.id}`
  return caller?.org ? `org ${caller.org.id}` : `account ${caller?.account.id}`
}

interface SignIn {
  login: string
  device_secret?: string | undefined
}

/** A known device has a limit of its own. All others share those of their network and of the login. */
async function limitSignIn(
  platform: Rows & Vault,
  networkCounter: string,
  res: ServerResponse,
): Promise<Passed['checkBody']> {
  const rule = rateLimits.signIn
  const ofNetwork = await spend(platform, networkCounter, rule)
  setRateLimitHeaders(res, ofNetwork)
  return async body => {
    const { login: given, device_secret: secret } = body as SignIn
    const login = given.toLowerCase().slice(0, 100)
    const device = secret && (await knownDevice(platform, login, secret))
    if (device) return enforce(res, await spend(platform, `signIn device ${device}`, rule))
    enforce(res, ofNetwork)
    const ofLogin = await spend(platform, `signIn login ${login}`, rule)
    if (ofLogin.remaining <= ofNetwork.remaining) enforce(res, ofLogin)
  }
}

function setRateLimitHeaders(res: ServerResponse, { limit, remaining }: Allowance): void {
  res.setHeader('x-ratelimit-limit', limit)
  res.setHeader('x-ratelimit-remaining', remaining)
}

function enforce(res: ServerResponse, allowance: Allowance): void {
  setRateLimitHeaders(res, allowance)
  const { retryAfter } = allowance
  if (retryAfter === undefined) return
  const minutes = Math.ceil(retryAfter / 60)
  throw new Fault(
    'rate_limit_exceeded',
    `Too many requests. Try again in ${minutes} minute${minutes > 1 ? 's' : ''}.`,
    { retryAfter },
  )
}
