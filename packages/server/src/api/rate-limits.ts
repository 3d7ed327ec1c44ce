// The limits on requests to the API: one on all changes of an account, and those of single endpoints, whose answers say
// how much is left.
import type { ServerResponse } from 'node:http'
import { type EndpointKey, rateLimits } from '@svc/contract'
import type { Caller } from '../core/identity/callers.ts'
import { knownDevice } from '../core/identity/known-devices.ts'
import type { Platform } from '../core/platform/platform.ts'
import { type Allowance, limitInBlocks, refund, spend } from '../core/platform/rate-limit.ts'
import { networkOf } from '../lib/client-address.ts'
import { Fault } from '../lib/fault.ts'
import { sha256 } from '../lib/ids.ts'

type Rule = (typeof rateLimits)[keyof typeof rateLimits]

const perNetwork: Partial<Record<EndpointKey, Rule>> = {
  'POST /auth/device': rateLimits.deviceStart,
  'POST /auth/device/poll': rateLimits.devicePoll,
  'POST /auth/signup': rateLimits.signUp,
  'POST /auth/signin': rateLimits.signIn,
}

interface AccountRule {
  rule: Rule
  /** Endpoints with the same bucket share one limit. */
  bucket: string
  /** Requests that succeed are not counted. */
  failuresOnly?: true
}

const userCodes: AccountRule = { rule: rateLimits.userCode, bucket: 'user codes', failuresOnly: true }

const newTokens: AccountRule = { rule: rateLimits.tokens, bucket: 'tokens' }

const paymentPages: AccountRule = { rule: rateLimits.checkout, bucket: 'payment pages' }

const perAccount: Partial<Record<EndpointKey, AccountRule>> = {
  'PUT /me/password': { rule: rateLimits.passwordChange, bucket: 'password change' },
  // An account that guesses codes could otherwise approve the login of a stranger (RFC 8628, section 5.1).
  'GET /auth/device/:user_code': userCodes,
  'POST /auth/device/approve': userCodes,
  'POST /auth/device/deny': userCodes,
  'POST /github/link': { rule: rateLimits.deviceStart, bucket: 'github link' },
  'POST /billing/checkout': paymentPages,
  'POST /billing/portal': paymentPages,
  'POST /orgs/:name/billing/checkout': paymentPages,
  'POST /orgs/:name/billing/portal': paymentPages,
  'POST /tokens': newTokens,
  'POST /orgs/:name/tokens': newTokens,
}

export interface RateLimit {
  /** Checks the limits that depend on what the body says. */
  checkBody(body: unknown): Promise<void>
  succeeded(): Promise<void>
}

interface Limited {
  key: EndpointKey
  ip: string
  caller: Caller | undefined
  params: Record<string, string | undefined>
}

const nothing = async (): Promise<void> => undefined

/** Counts a request, and throws if it is one too many. */
export type LimitRate = (request: Limited, res: ServerResponse) => Promise<RateLimit>

export function limitRates(platform: Platform): LimitRate {
  const limitWrites = limitInBlocks(platform, rateLimits.writes, 'This account makes too many changes.')
  return async (request, res) => {
    const { key, caller } = request
    if (caller && !key.startsWith('GET ')) await limitWrites(`writes account ${caller.account.id}`)
    return await limitEndpoint(platform, request, res)
  }
}

async function limitEndpoint(
  platform: Platform,
  { key, ip, caller, params }: Limited,
  res: ServerResponse,
): Promise<RateLimit> {
  if (key === 'POST /hooks/deploy/:secret')
    return await limitDeployHook(platform, ip, params.secret ?? '', res)
  const accountRule = perAccount[key]
  if (accountRule && caller) return await limitAccount(platform, accountRule, caller.account.id, res)
  const rule = perNetwork[key]
  if (!rule) return { checkBody: nothing, succeeded: nothing }
  const allowance = await spend(platform, `${key} ip ${networkOf(ip)}`, rule)
  if (key === 'POST /auth/signin') {
    show(res, allowance)
    return {
      checkBody: body => limitSignIn(platform, allowance, body as SignIn, res),
      succeeded: nothing,
    }
  }
  enforce(res, allowance)
  return { checkBody: nothing, succeeded: nothing }
}

async function limitAccount(
  platform: Platform,
  { rule, bucket, failuresOnly }: AccountRule,
  accountId: string,
  res: ServerResponse,
): Promise<RateLimit> {
  const key = `${bucket} account ${accountId}`
  enforce(res, await spend(platform, key, rule))
  return { checkBody: nothing, succeeded: failuresOnly ? () => refund(platform, key) : nothing }
}

/**
 * One limit for the hook, and one for failed calls of a network. A CMS calls the hooks of all its customers from the same
 * few addresses, so calls that succeed count against their hook alone.
 */
async function limitDeployHook(
  platform: Platform,
  ip: string,
  secret: string,
  res: ServerResponse,
): Promise<RateLimit> {
  const network = `deploy hook ip ${networkOf(ip)}`
  enforce(res, await spend(platform, network, rateLimits.deployHookFailures))
  const ofHook = await spend(platform, `deploy hook ${sha256(secret)}`, rateLimits.deployHook)
  if (ofHook.retryAfter !== undefined) await refund(platform, network)
  enforce(res, ofHook)
  return { checkBody: nothing, succeeded: () => refund(platform, network) }
}

interface SignIn {
  login: string
  device_secret?: string | undefined
}

/** A known device has a limit of its own. All others share those of their network and of the login. */
async function limitSignIn(
  platform: Platform,
  ofNetwork: Allowance,
  body: SignIn,
  res: ServerResponse,
): Promise<void> {
  const login = body.login.toLowerCase().slice(0, 100)
  const device = body.device_secret && (await knownDevice(platform, login, body.device_secret))
  if (device) return enforce(res, await spend(platform, `sign-in device ${device}`, rateLimits.signIn))
  enforce(res, ofNetwork)
  const ofLogin = await spend(platform, `POST /auth/signin login ${login}`, rateLimits.signIn)
  if (ofLogin.remaining <= ofNetwork.remaining) enforce(res, ofLogin)
}

function show(res: ServerResponse, { limit, remaining }: Allowance): void {
  res.setHeader('x-ratelimit-limit', limit)
  res.setHeader('x-ratelimit-remaining', remaining)
}

function enforce(res: ServerResponse, allowance: Allowance): void {
  show(res, allowance)
  const { retryAfter } = allowance
  if (retryAfter === undefined) return
  const minutes = Math.ceil(retryAfter / 60)
  throw new Fault(
    'rate_limit_exceeded',
    `Too many requests. Try again in ${minutes} minute${minutes > 1 ? 's' : ''}.`,
    { retryAfter },
  )
}
