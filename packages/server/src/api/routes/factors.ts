// The authenticator app and recovery codes of an account.

import { auditLog } from '../../core/base/audit.ts'
import type { Platform, Rows, Vault } from '../../core/base/platform.ts'
import {
  describeSecurity,
  disableTotp,
  finishTotp,
  renewRecoveryCodes,
  startTotp,
} from '../../core/identity/second-factor.ts'
import { signInWithCode } from '../../core/identity/sign-in.ts'
import type { Handlers } from '../call.ts'

export const factorRoutes = (platform: Rows & Vault & Pick<Platform, 'domain' | 'urls'>) =>
  ({
    'POST /auth/signin/code': async ({ body, ip }) => await signInWithCode(platform, { ...body, ip }),

    'GET /me/security': async ({ caller }) => await describeSecurity(platform, caller),
    'GET /me/audit': async ({ caller, query }) =>
      await auditLog(platform, { accountId: caller.account.id }, query),
    'POST /me/totp': async ({ caller, body }) => await startTotp(platform, caller, body),
    'POST /me/totp/enable': async ({ caller, body }) => await finishTotp(platform, caller, body),
    'POST /me/totp/disable': async ({ caller, body }) => {
      await disableTotp(platform, caller, body)
      return { ok: true }
    },
    'POST /me/recovery-codes': async ({ caller, body }) => await renewRecoveryCodes(platform, caller, body),
  }) satisfies Partial<Handlers>
