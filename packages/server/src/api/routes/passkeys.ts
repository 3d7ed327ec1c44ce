// Passkeys of an account.

import type { Platform, Rows, Vault } from '../../core/base/platform.ts'
import { startConfirmation } from '../../core/identity/confirmation.ts'
import {
  addPasskey,
  changePasskeyName,
  removePasskey,
  signInWithPasskey,
  startPasskey,
  startPasskeySignIn,
} from '../../core/identity/passkeys.ts'
import type { Handlers } from '../call.ts'

export const passkeyRoutes = (platform: Rows & Vault & Pick<Platform, 'domain' | 'urls'>) =>
  ({
    'POST /auth/passkey/options': async () => await startPasskeySignIn(platform),
    'POST /auth/passkey': async ({ body }) => await signInWithPasskey(platform, body.credential),

    'POST /me/passkeys/challenge': async ({ caller }) => await startConfirmation(platform, caller),
    'POST /me/passkeys/options': async ({ caller, body }) => await startPasskey(platform, caller, body),
    'POST /me/passkeys': async ({ caller, body }) => await addPasskey(platform, caller, body),
    'PATCH /me/passkeys/:id': async ({ caller, params, body }) =>
      await changePasskeyName(platform, caller, params.id, body.name),
    'POST /me/passkeys/:id/remove': async ({ caller, params, body }) => {
      await removePasskey(platform, caller, params.id, body)
      return { ok: true }
    },
  }) satisfies Partial<Handlers>
