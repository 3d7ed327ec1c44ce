// The operator area. The rows of these endpoints let only platform admins in.
import { certificates } from '../../core/admin/certificates.ts'
import { overview } from '../../core/admin/overview.ts'
import { changeUserAs } from '../../core/admin/user-changes.ts'
import { users } from '../../core/admin/users.ts'
import type { Platform, Rows, Vault } from '../../core/platform/platform.ts'
import type { Handlers } from '../call.ts'

export const adminRoutes = (
  platform: Rows & Vault & Pick<Platform, 'disk' | 'packs' | 'signups' | 'version'>,
) =>
  ({
    'GET /admin/overview': () => overview(platform),
    'GET /admin/users': ({ query }) => users(platform, query),
    'PATCH /admin/users/:login': ({ caller, params, body }) =>
      changeUserAs(platform, caller, params.login, body),
    'GET /admin/certificates': ({ query }) => certificates(platform, query),
  }) satisfies Partial<Handlers>
