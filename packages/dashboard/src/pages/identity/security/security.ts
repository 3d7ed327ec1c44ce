// How the account signs in, as the page shows and changes it.
import type { PasskeyAssertion, SignInSecurity } from '@svc/contract'
import { call } from '../../../api.ts'
import { forgetResource, type Resource, useResource } from '../../../resource.ts'

/** What a change needs, because a stolen token alone must not be enough. */
export type Confirmation = { password: string } | { passkey: PasskeyAssertion }

/** Whether the account has a password or a passkey, which a change needs. */
export const canConfirm = ({ password, passkeys }: SignInSecurity): boolean =>
  password || passkeys.some(({ usable }) => usable)

const key = 'sign-in security'

export const useSecurity = (): Resource<SignInSecurity> => useResource(key, () => call('GET /me/security'))

/** The next page that shows it loads it anew. */
export const forgetSecurity = (): void => forgetResource(key)

export const startTotp = (body: Confirmation) => call('POST /me/totp', { body })

export const enableTotp = async (code: string): Promise<string[]> =>
  (await call('POST /me/totp/enable', { body: { code } })).recovery_codes

export async function disableTotp(body: Confirmation): Promise<void> {
  await call('POST /me/totp/disable', { body })
}

export const newRecoveryCodes = async (body: Confirmation): Promise<string[]> =>
  (await call('POST /me/recovery-codes', { body })).recovery_codes

export async function unlinkGitHub(body: Confirmation): Promise<void> {
  await call('POST /github/unlink', { body })
}

export const startPasskey = (body: Confirmation) => call('POST /me/passkeys/options', { body })

export async function renamePasskey(id: string, name: string): Promise<void> {
  await call('PATCH /me/passkeys/:id', { params: { id }, body: { name } })
}

export async function removePasskey(id: string, body: Confirmation): Promise<void> {
  await call('POST /me/passkeys/:id/remove', { params: { id }, body })
}
