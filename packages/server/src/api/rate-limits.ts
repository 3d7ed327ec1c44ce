// The limited endpoints. Every answer of theirs says how much is left.
import type { ServerResponse } from 'node:http'
import { type EndpointKey, rateLimits } from '@svc/contract'
import type { Platform } from '../core/platform.ts'
import { type Allowance, spend } from '../core/rate-limit.ts'
import { Fault } from '../lib/fault.ts'

type Rule = (typeof rateLimits)[keyof typeof rateLimits]

const byAddress: Partial<Record<EndpointKey, Rule>> = {
  'POST /auth/device': rateLimits.deviceStart,
  'POST /auth/device/poll': rateLimits.devicePoll,
  'POST /auth/signup': rateLimits.signUp,
  'POST /auth/signin': rateLimits.signIn,
  'PUT /me/password': rateLimits.passwordChange,
}

/** Counts the call against its address. Where a second limit goes by the body, answers the check of that. */
export async function limitRate(
  platform: Platform,
  key: EndpointKey,
  ip: string,
  res: ServerResponse,
): Promise<((body: unknown) => Promise<void>) | undefined> {
  const rule = byAddress[key]
  if (!rule) return undefined
  const allowance = await spend(platform, `${key} ip ${ip}`, rule)
  enforce(res, allowance)
  if (key !== 'POST /auth/signin') return undefined
  return async body => {
    const login = String((body as { login?: unknown }).login)
      .toLowerCase()
      .slice(0, 100)
    const perLogin = await spend(platform, `${key} login ${login}`, rule)
    if (perLogin.remaining <= allowance.remaining) enforce(res, perLogin)
  }
}

function enforce(res: ServerResponse, { limit, remaining, retryAfter }: Allowance): void {
  res.setHeader('x-ratelimit-limit', limit)
  res.setHeader('x-ratelimit-remaining', remaining)
  if (retryAfter === undefined) return
  const minutes = Math.ceil(retryAfter / 60)
  throw new Fault(
    'rate_limit_exceeded',
    `Too many requests. Try again in ${minutes} minute${minutes > 1 ? 's' : ''}.`,
    {
      retryAfter,
    },
  )
}
