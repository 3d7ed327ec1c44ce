// Passes: signed cookies that identify visitors who have access to a protected site.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { dayMs, hourMs, secondMs } from '@svc/contract/durations'
import type { Guard, GuardLink } from '../../core/access/guard.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Secret } from '../../lib/secret.ts'

interface Pass {
  /** The account of the member that the pass was issued to. Empty for sites with a password. */
  account: string
}

/** The id of a share link stands where passes of members have the account. */
export const isLink = (account: string): boolean => account.startsWith('lnk_')

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

  /** The Set-Cookie header of a pass that is valid as long as the share link of this preview. */
  issueOfLink(guard: Guard, host: string, link: GuardLink): string {
    const end = Math.ceil(link.expiresAt / 1000)
    const value = `0.${end}.${link.id}.${this.#sign(guard, host, end, link.id)}`
    const lifetime = Math.max(1, end - Math.floor(this.#clock.now() / 1000))
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
    if (Number(end) * 1000 <= this.#clock.now()) return undefined
    if (isLink(account) ? !this.#knows(account, guard) : !fits(guard, generation, account)) return undefined
    const expected = this.#sign(guard, host, Number(end), account)
    return timingSafeEqual(Buffer.from(signature), Buffer.from(expected)) ? { account } : undefined
  }

  /** A revoked link is no longer among those of the guard. */
  #knows(link: string, { links }: Guard): boolean {
    const now = this.#clock.now()
    return links?.some(({ id, expiresAt }) => id === link && expiresAt > now) ?? false
  }

  #sign({ projectId, mode, generation }: Guard, host: string, end: number, account: string): string {
    // A link outlives changes of the password and of the mode.
    const signed = isLink(account)
      ? JSON.stringify([projectId, host, 'link', 0, end, account])
      : JSON.stringify([projectId, host, mode, generation, end, account])
    return createHmac('sha256', this.#key.reveal()).update(signed).digest('base64url')
  }
}

const fits = (guard: Guard, generation: string | undefined, account: string): boolean =>
  generation === String(guard.generation) && (account === '') === (guard.mode === 'password')
