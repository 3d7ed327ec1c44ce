// The operator area. The rows of these endpoints let only platform admins in.
import {
  createAccountInvite,
  listAccountInvites,
  previewAccountInvite,
  revokeAccountInvite,
} from '../../core/admin/account-invites.ts'
import { cancelPlatformBuild, platformBuilds } from '../../core/admin/builds.ts'
import { certificates } from '../../core/admin/certificates.ts'
import { overview } from '../../core/admin/overview.ts'
import { changeUserAs } from '../../core/admin/user-changes.ts'
import { users } from '../../core/admin/users.ts'
import type { PlanSettings, Platform, Rows, Vault } from '../../core/platform/platform.ts'
import type { Handlers } from '../call.ts'

export const adminRoutes = (
  platform: PlanSettings &
    Rows &
    Vault &
    Pick<Platform, 'disk' | 'domain' | 'mailer' | 'packs' | 'signups' | 'urls' | 'version'>,
) =>
  ({
    'GET /admin/overview': () => overview(platform),
    'GET /admin/users': ({ query }) => users(platform, query),
    'PATCH /admin/users/:login': ({ caller, params, body }) =>
      changeUserAs(platform, caller, params.login, body),
    'GET /admin/invites': async () => ({ invites: await listAccountInvites(platform) }),
    'POST /admin/invites': ({ caller, body }) => createAccountInvite(platform, caller, body),
    'DELETE /admin/invites/:id': async ({ caller, params }) => {
      await revokeAccountInvite(platform, caller, params.id)
      return { ok: true }
    },
    'GET /auth/account-invites/:token': ({ params }) => previewAccountInvite(platform, params.token),
    'GET /admin/builds': async () => ({ builds: await platformBuilds(platform) }),
    'POST /admin/builds/:id/cancel': async ({ caller, params }) => {
      await cancelPlatformBuild(platform, caller, params.id)
      return { ok: true }
    },
    'GET /admin/certificates': ({ query }) => certificates(platform, query),
  }) satisfies Partial<Handlers>
