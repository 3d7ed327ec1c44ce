// The mark of requests that the platform makes for pictures of sites: they are no visits, and count as no traffic. Any node may make a
// picture, and any edge may answer its requests, so the mark is signed with a key that all of them share.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { minuteMs } from '@svc/contract/durations'
import type { Clock } from './clock.ts'
import { pictureField } from './platform-fields.ts'
import type { Secret } from './secret.ts'

/** Longer than a picture takes, since the clocks of nodes differ. */
const lifetimeMs = 5 * minuteMs

/** When the mark ends, in milliseconds, and the signature. */
const shape = /^(\d{1,16})\.([\w-]{43})$/

export class PictureMark {
  readonly #key: Secret
  readonly #clock: Clock

  constructor(key: Secret, clock: Clock) {
    this.#key = key
    this.#clock = clock
  }

  /** The value of the field, for requests to this host. `host` has no port. */
  make(host: string): string {
    const end = this.#clock.now() + lifetimeMs
    return `${end}.${this.#sign(end, host)}`
  }

  isOn(headers: IncomingHttpHeaders, host: string): boolean {
    const value = headers[pictureField]
    if (value === undefined) return false
    const [, end, signature = ''] = shape.exec(String(value)) ?? []
    if (end === undefined || Number(end) <= this.#clock.now()) return false
    return timingSafeEqual(Buffer.from(signature), Buffer.from(this.#sign(Number(end), host)))
  }

  #sign(end: number, host: string): string {
    return createHmac('sha256', this.#key.reveal()).update(`${end} ${host}`).digest('base64url')
  }
}
