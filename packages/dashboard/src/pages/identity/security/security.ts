// How the account signs in, as the page shows and changes it.
import type { SignInSecurity } from '@svc/contract'
import { call } from '../../../api.ts'
import { type Resource, useResource } from '../../../resource.ts'

export const useSecurity = (): Resource<SignInSecurity> =>
  useResource('sign-in security', () => call('GET /me/security'))

export const startTotp = (password: string) => call('POST /me/totp', { body: { password } })

export const enableTotp = async (code: string): Promise<string[]> =>
  (await call('POST /me/totp/enable', { body: { code } })).recovery_codes

export async function disableTotp(password: string): Promise<void> {
  await call('POST /me/totp/disable', { body: { password } })
}

export const newRecoveryCodes = async (password: string): Promise<string[]> =>
  (await call('POST /me/recovery-codes', { body: { password } })).recovery_codes
