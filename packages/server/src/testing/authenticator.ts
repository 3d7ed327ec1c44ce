// An authenticator app for tests.
import { codeAt, stepAt } from '../core/identity/totp.ts'

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export class AuthenticatorApp {
  readonly #secret: Buffer

  /** Takes the secret as a person types it. */
  constructor(typed: string) {
    const bits = [...typed].map(letter => base32.indexOf(letter).toString(2).padStart(5, '0')).join('')
    this.#secret = Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)))
  }

  /** The code of the present time step, or of one that is so many steps later. */
  code(now = Date.now(), later = 0): string {
    return codeAt(this.#secret, stepAt(now) + later)
  }

  /** A code that is not valid now, nor soon. */
  wrongCode(now = Date.now()): string {
    const right = [-2, -1, 0, 1, 2].map(later => this.code(now, later))
    return ['000000', '111111', '222222', '333333', '444444', '555555'].find(code => !right.includes(code))!
  }
}
