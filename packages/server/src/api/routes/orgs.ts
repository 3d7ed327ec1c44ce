// Organizations: members, invites, tokens, icons, installations.

import { ownerLimits } from '../../core/admin/owner-limits.ts'
import { auditLog } from '../../core/base/audit.ts'
import { exportOrgAudit } from '../../core/base/audit-export.ts'
import type { GitHubParts, PlanSettings, Platform, TokenParts } from '../../core/base/platform.ts'
import {
  orgInstallations,
  shareInstallation,
  unshareInstallation,
} from '../../core/builds/github/shared-installations.ts'
import { createOrgToken, orgTokens, revokeTokenOfOrg } from '../../core/identity/org-tokens.ts'
import { iconOf, removeIcon, uploadIcon } from '../../core/orgs/icons.ts'
import {
  acceptInvite,
  createInvite,
  listInvites,
  previewInvite,
  resendInvite,
  revokeInvite,
} from '../../core/orgs/invites.ts'
import { changeRole, removeMember } from '../../core/orgs/members.ts'
import { changeDisplayName, createOrg, orgDetail, ownOrgs, removeOrg } from '../../core/orgs/orgs.ts'
import { type Handlers, jsonLines, RawAnswer } from '../call.ts'

export const orgRoutes = (
  platform: GitHubParts &
    PlanSettings &
    TokenParts &
    Pick<Platform, 'forge' | 'mailer' | 'reservedNames' | 'urls'>,
) =>
  ({
    'GET /orgs': async ({ caller, query }) => await ownOrgs(platform, caller, query),
    'POST /orgs': async ({ caller, body }) => await createOrg(platform, caller, body),
    'GET /orgs/:name': async ({ org }) => await orgDetail(platform, org),
    'GET /orgs/:name/limits': ({ org }) => ownerLimits(platform, org.name),
    'PATCH /orgs/:name': async ({ caller, org, body }) =>
      await changeDisplayName(platform, caller, org, body.display_name),
    'DELETE /orgs/:name': async ({ org }) => {
      await removeOrg(platform, org)
      return { ok: true }
    },
    'GET /orgs/:name/audit': async ({ org, query }) => await auditLog(platform, { orgId: org.id }, query),
    'GET /orgs/:name/audit/export': async ({ org }) =>
      jsonLines(exportOrgAudit(platform.store, org.id), `${org.name}-audit.jsonl`),

    'GET /orgs/:name/invites': async ({ org }) => ({ invites: await listInvites(platform, org) }),
    'POST /orgs/:name/invites': async ({ caller, org, body }) =>
      await createInvite(platform, caller, org, body),
    'POST /orgs/:name/invites/:id/resend': async ({ caller, org, params }) =>
      await resendInvite(platform, caller, org, params.id),
    'DELETE /orgs/:name/invites/:id': async ({ caller, org, params }) => {
      await revokeInvite(platform, caller, org, params.id)
      return { ok: true }
    },
    'GET /invites/:token': async ({ params }) => await previewInvite(platform, params.token),
    'GET /auth/invites/:token': async ({ params }) => await previewInvite(platform, params.token),
    'POST /invites/:token/accept': async ({ caller, params }) =>
      await acceptInvite(platform, caller, params.token),

    'PUT /orgs/:name/members/:login': async ({ caller, org, params, body }) =>
      await changeRole(platform, caller, org, params.login, body.role),
    'DELETE /orgs/:name/members/:login': async ({ caller, org, params }) => {
      await removeMember(platform, caller, org, params.login)
      return { ok: true }
    },

    'GET /orgs/:name/icon': async ({ params, query, headers }) => {
      const icon = await iconOf(platform, params.name)
      if ('redirect' in icon)
        return new RawAnswer(302, { location: icon.redirect, 'cache-control': 'public, max-age=300' })
      const answer = iconHeaders(icon, query.v)
      return headers['if-none-match']?.includes(answer.etag)
        ? new RawAnswer(304, answer)
        : new RawAnswer(200, { ...answer, 'content-length': String(icon.bytes.length) }, icon.bytes)
    },
    'PUT /orgs/:name/icon': async ({ caller, org, stream, confirmRights }) => ({
      ok: true,
      icon_url: await uploadIcon(platform, caller, org, stream(), confirmRights),
    }),
    'DELETE /orgs/:name/icon': async ({ caller, org }) => {
      await removeIcon(platform, caller, org)
      return { ok: true }
    },

    'GET /orgs/:name/tokens': async ({ org, query }) => await orgTokens(platform, org, query),
    'POST /orgs/:name/tokens': async ({ caller, org, body }) =>
      await createOrgToken(platform, caller, org, body),
    'DELETE /orgs/:name/tokens/:id': async ({ caller, org, params }) => {
      await revokeTokenOfOrg(platform, caller, org, params.id)
      return { ok: true }
    },

    'GET /orgs/:name/installations': async ({ caller, org }) => ({
      installations: await orgInstallations(platform, caller, org),
    }),
    'POST /orgs/:name/installations': async ({ caller, org, body }) =>
      await shareInstallation(platform, caller, org, body.installation_id),
    'DELETE /orgs/:name/installations/:id': async ({ caller, org, params }) => {
      await unshareInstallation(platform, caller, org, installationId(params.id))
      return { ok: true }
    },
  }) satisfies Partial<Handlers>

/** Reads an id. Text that is not a whole number becomes 0, which no installation has. */
const installationId = (text: string): number => (Number.isSafeInteger(Number(text)) ? Number(text) : 0)

/** The content of a URL with its hash never changes. Browsers check the URL without a hash again soon. */
function iconHeaders(icon: { type: string; hash: string }, version: string | undefined) {
  return {
    'content-type': icon.type,
    'cache-control': version === icon.hash ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
    etag: `"${icon.hash}"`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  }
}
