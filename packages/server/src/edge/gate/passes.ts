// Passes: signed cookies that identify visitors who have access to a protected site.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { dayMs, hourMs, secondMs } from '@svc/contract/durations'
import type { Guard } from '../../core/access/guard.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Secret } from '../../lib/secret.ts'

interface Pass {
  /** The account of the member that the pass was issued to. Empty for sites with a password. */
  account: string
}

interface PassesParts {
  key: Secret
  /** Whether browsers reach the sites over HTTPS. */
  secure: boolean
  clock: Clock
}

/** How long a pass is valid, in seconds. After that, members who are signed in to the dashboard get a new one from it. */
const lifetimes: Record<Guard['mode'], number> = {
  password: (30 * dayMs) / secondMs,
  org: (12 * hourMs) / secondMs,
}

/** The value of the cookie: generation, expiry in Unix seconds, account, signature. */
const shape = /^(\d{1,10})\.(\d{1,12})\.([a-z0-9_]{0,40})\.([\w-]{43})$/

export class Passes {
  readonly #key: Secret
  readonly #clock: Clock
  readonly #name: string
  readonly #attributes: string

  constructor({ key, secure, clock }: PassesParts) {
    this.#key = key
    this.#clock = clock
    // Browsers accept a `__Host-` cookie only over HTTPS and for the host that sets it. So other sites below the domain
    // cannot set this cookie.
    this.#name = secure ? '__Host-svc-visit' : 'svc-visit'
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  }

  /** The Set-Cookie header of a new pass, which is valid only on this host. */
  issue(guard: Guard, host: string, { account }: Pass): string {
    const lifetime = lifetimes[guard.mode]
    const end = Math.floor(this.#clock.now() / 1000) + lifetime
    const value = `${guard.generation}.${end}.${account}.${this.#sign(guard, host, end, account)}`
    return `${this.#name}=${value}; Max-Age=${lifetime}; ${this.#attributes}`
  }

  /**
   * The first valid pass among the cookies. Without HTTPS, other sites below the domain can set cookies of the same name,
   * so each one is tried.
   */
  find(cookies: string | undefined, guard: Guard, host: string): Pass | undefined {
    if (cookies === undefined) return undefined
    const start = `${this.#name}=`
    for (const cookie of cookies.split(';')) {
      const pair = cookie.trim()
      const pass = pair.startsWith(start) ? this.#read(pair.slice(start.length), guard, host) : undefined
      if (pass !== undefined) return pass
    }
    return undefined
  }

  #read(value: string, guard: Guard, host: string): Pass | undefined {
    const [, generation, end, account = '', signature = ''] = shape.exec(value) ?? []
    if (generation !== String(guard.generation) || Number(end) * 1000 <= this.#clock.now()) return undefined
    if ((account === '') !== (guard.mode === 'password')) return undefined
    const expected = this.#sign(guard, host, Number(end), account)
    return timingSafeEqual(Buffer.from(signature), Buffer.from(expected)) ? { account } : undefined
  }

  #sign({ projectId, mode, generation }: Guard, host: string, end: number, account: string): string {
    const signed = JSON.stringify([projectId, host, mode, generation, end, account])
    return createHmac('sha256', this.#key.reveal()).update(signed).digest('base64url')
  }
}
