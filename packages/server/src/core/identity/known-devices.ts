// Known devices (OWASP: device cookies). Strangers who guess passwords use up the limit of a login name. A known device has a
// limit of its own, so that the owner can still sign in there.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { randomText } from '../../lib/ids.ts'
import { findAccountByLogin } from '../../store/identity/accounts.ts'
import type { AccountRow } from '../../store/tables.ts'
import type { Platform, Vault } from '../base/platform.ts'

type Known = Pick<AccountRow, 'id' | 'password_hash'>

/** A secret for a device that has just signed in with the password. A password change invalidates it. */
export function newDeviceSecret(platform: Pick<Platform, 'keyring'>, account: Known): string {
  const device = randomText(16)
  return `${device}.${signature(platform, account, device)}`
}

/** The id of the device that the secret belongs to. `undefined` if it is not a secret for this login. */
export async function knownDevice(
  platform: Vault,
  login: string,
  secret: string,
): Promise<string | undefined> {
  const [device = '', given = ''] = secret.split('.')
  const account = await findAccountByLogin(platform.store.db, login)
  if (!account?.password_hash) return undefined
  const right = Buffer.from(signature(platform, account, device))
  const isRight = right.length === Buffer.byteLength(given) && timingSafeEqual(right, Buffer.from(given))
  return isRight ? device : undefined
}

function signature(
  { keyring }: Pick<Platform, 'keyring'>,
  { id, password_hash }: Known,
  device: string,
): string {
  const key = keyring.current.derive('known devices').reveal()
  return createHmac('sha256', key).update(`${id} ${password_hash} ${device}`).digest('base64url')
}
