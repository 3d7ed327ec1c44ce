// Accounts, sign-in, device logins, tokens.

import { ownerLimits } from '../../core/admin/owner-limits.ts'
import type {
  GitHubParts,
  PlanSettings,
  Platform,
  SignUpRules,
  TokenParts,
} from '../../core/base/platform.ts'
import { confirmOwnAddress } from '../../core/forms/recipients.ts'
import { signUp } from '../../core/identity/accounts.ts'
import {
  decideDeviceLogin,
  describeDeviceLogin,
  pollDeviceLogin,
  startDeviceLogin,
} from '../../core/identity/device-login.ts'
import { cancelEmailChange, changeEmail, confirmEmail } from '../../core/identity/email-change.ts'
import { startGitHubLink, startGitHubLogin } from '../../core/identity/github-sign-in.ts'
import { unlinkGitHub } from '../../core/identity/github-unlink.ts'
import { changeOwnPassword } from '../../core/identity/password-change.ts'
import { askForPassword, resetPassword } from '../../core/identity/password-reset.ts'
import { type SignedIn, signOut } from '../../core/identity/sessions.ts'
import { type CodeNeeded, signIn } from '../../core/identity/sign-in.ts'
import { createToken, ownTokens, revokeOwnToken } from '../../core/identity/tokens.ts'
import { deleteOwnAccount, keepOwnAccount } from '../../core/platform/account-deletion/schedule.ts'
import { type ExportParts, exportAccount } from '../../core/platform/account-export.ts'
import { type Handlers, jsonLines } from '../call.ts'

export const identityRoutes = (
  platform: ExportParts &
    GitHubParts &
    PlanSettings &
    SignUpRules &
    TokenParts &
    Pick<Platform, 'accountGraceMs' | 'deviceInterval' | 'domain' | 'hasBuiltinForge' | 'mailer' | 'urls'>,
) =>
  ({
    'GET /me': async ({ caller }) => caller.me,
    'DELETE /me': ({ caller, body }) => deleteOwnAccount(platform, caller, body),
    'POST /me/keep': async ({ caller }) => {
      await keepOwnAccount(platform, caller)
      return { ok: true }
    },
    'GET /me/limits': ({ caller }) => ownerLimits(platform, caller.account.login),
    'GET /me/export': async ({ caller }) =>
      jsonLines(exportAccount(platform, caller), `${caller.account.login}.jsonl`),
    'PUT /me/password': async ({ caller, body }) => await changeOwnPassword(platform, caller, body),
    'PUT /me/email': async ({ caller, body }) => await changeEmail(platform, caller, body),
    'POST /me/email/confirm': async ({ caller, body }) =>
      await confirmEmail(platform, caller, body.token, confirmOwnAddress),
    'DELETE /me/email/pending': async ({ caller }) => {
      await cancelEmailChange(platform, caller)
      return { ok: true }
    },

    'POST /auth/signup': async ({ body, ip }): Promise<SignedIn> => await signUp(platform, { ...body, ip }),
    'POST /auth/signin': async ({ body, ip }): Promise<SignedIn | CodeNeeded> =>
      await signIn(platform, { ...body, ip }),
    'POST /auth/password/forgot': async ({ body }) => {
      await askForPassword(platform, body.login)
      return { ok: true }
    },
    'POST /auth/password/reset': async ({ body, ip }) => await resetPassword(platform, body, ip),
    'POST /auth/signout': async ({ caller }) => {
      await signOut(platform, caller)
      return { ok: true }
    },
    'POST /auth/device': async ({ ip, headers, body }) => {
      const from = { ip, userAgent: headers['user-agent'] ?? '' }
      if ((body.forge ?? (platform.github ? 'github' : 'builtin')) === 'builtin')
        return await startDeviceLogin(platform, from)
      const { setup_token: setupToken, invite_token: inviteToken, client } = body
      return await startGitHubLogin(platform, from, { setupToken, inviteToken, client })
    },
    'POST /auth/device/poll': async ({ body }) => await pollDeviceLogin(platform, body.device_code),
    'GET /auth/device/:user_code': async ({ params }) =>
      await describeDeviceLogin(platform, params.user_code),
    'POST /auth/device/approve': async ({ caller, body }) => {
      await decideDeviceLogin(platform, caller, body.user_code, 'approved')
      return { ok: true }
    },
    'POST /auth/device/deny': async ({ caller, body }) => {
      await decideDeviceLogin(platform, caller, body.user_code, 'denied')
      return { ok: true }
    },
    'POST /github/link': async ({ caller, body, ip, headers }) => {
      const from = { ip, userAgent: headers['user-agent'] ?? '' }
      return await startGitHubLink(platform, caller, body, from)
    },
    'POST /github/unlink': async ({ caller, body }) => {
      await unlinkGitHub(platform, caller, body)
      return { ok: true }
    },

    'GET /tokens': async ({ caller, query }) => await ownTokens(platform, caller, query),
    'POST /tokens': async ({ caller, body }) => await createToken(platform, caller, body),
    'DELETE /tokens/:id': async ({ caller, params }) => {
      await revokeOwnToken(platform, caller, params.id)
      return { ok: true }
    },
  }) satisfies Partial<Handlers>
