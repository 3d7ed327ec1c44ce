// The logins of the stand-in for GitHub: the device flow, and the tokens of users.
import type { IncomingMessage } from 'node:http'
import { randomText } from '../../lib/ids.ts'
import type { ApiAnswer } from './api.ts'

interface Device {
  userCode: string
  userId?: number
  state: 'waiting' | 'approved' | 'denied' | 'expired'
}

interface LoginParts {
  url(): string
  /** Makes a secret that no log may contain. */
  secret(prefix: string): string
  /** Notes a request that GitHub would have refused. */
  complain(words: string, status?: number): ApiAnswer
}

export class Logins {
  /** The seconds between two polls of a device that GitHub asks for. */
  interval = 0
  /** The lifetime of a user's token. `undefined` if it never expires. */
  userTokenSeconds: number | undefined
  readonly #parts: LoginParts
  readonly #userTokens = new Map<string, number>()
  readonly #refreshTokens = new Map<string, number>()
  readonly #devices = new Map<string, Device>()

  constructor(parts: LoginParts) {
    this.#parts = parts
  }

  userOf(token: string): number | undefined {
    return this.#userTokens.get(token)
  }

  /** Answers a device login, as a person does in the browser. */
  decide(userCode: string, by: number | 'deny' | 'expire'): void {
    const device = [...this.#devices.values()].find(row => row.userCode === userCode)
    if (!device) throw new Error(`no device waits for ${userCode}`)
    if (typeof by === 'number') Object.assign(device, { state: 'approved', userId: by })
    else device.state = by === 'deny' ? 'denied' : 'expired'
  }

  answer(req: IncomingMessage, path: string, text: string): ApiAnswer {
    const { complain } = this.#parts
    if (req.headers.accept !== 'application/json') return complain(`accept: ${req.headers.accept}`)
    const { client_id, ...fields } = JSON.parse(text || '{}') as Record<string, string>
    if (client_id !== 'Iv1.test') return complain('not the client id')
    if (path === '/login/device/code') return this.#newDevice()
    if (path !== '/login/oauth/access_token') return complain(`no such page: ${path}`, 404)
    if (fields.grant_type === 'refresh_token') {
      const userId = this.#refreshTokens.get(fields.refresh_token ?? '')
      this.#refreshTokens.delete(fields.refresh_token ?? '')
      return userId === undefined
        ? { body: { error: 'bad_refresh_token' } }
        : { body: this.#userToken(userId) }
    }
    const device = this.#devices.get(fields.device_code ?? '')
    if (device?.state === 'waiting') return { body: { error: 'authorization_pending' } }
    if (device?.state === 'denied') return { body: { error: 'access_denied' } }
    if (device?.state !== 'approved') return { body: { error: 'expired_token' } }
    this.#devices.delete(fields.device_code ?? '')
    return { body: this.#userToken(device.userId ?? 0) }
  }

  #newDevice(): ApiAnswer {
    const code = this.#parts.secret('device')
    // Of the same form as the platform's own codes, such as WDJB-MJHT.
    const letters = () => randomText(4, 'BCDFGHJKLMNPQRSTVWXZ')
    const userCode = `${letters()}-${letters()}`
    this.#devices.set(code, { userCode, state: 'waiting' })
    const verification_uri = `${this.#parts.url()}/login/device`
    const { interval } = this
    return { body: { device_code: code, user_code: userCode, verification_uri, expires_in: 900, interval } }
  }

  #userToken(userId: number) {
    const access_token = this.#parts.secret('ghu_')
    this.#userTokens.set(access_token, userId)
    if (this.userTokenSeconds === undefined) return { access_token, token_type: 'bearer', scope: '' }
    const refresh_token = this.#parts.secret('ghr_')
    this.#refreshTokens.set(refresh_token, userId)
    return { access_token, expires_in: this.userTokenSeconds, refresh_token, token_type: 'bearer' }
  }
}
