// Temporary shares.
import type { DeployParts } from '../../core/base/platform.ts'
import { createShare, deleteShare, ownShares } from '../../core/shares/shares.ts'
import type { Handlers } from '../call.ts'
import { checkDeclaredSize, originOf } from '../upload.ts'

export const shareRoutes = (platform: DeployParts) =>
  ({
    'POST /shares': async ({ caller, query, headers, stream, confirmRights }) => {
      checkDeclaredSize(headers)
      const upload = { ...originOf(headers), days: query.ttl, confirmRights }
      return await createShare(platform, caller, upload, stream)
    },
    'GET /shares': async ({ caller, query }) => await ownShares(platform, caller, query),
    'DELETE /shares/:name': async ({ caller, params }) => {
      await deleteShare(platform, caller, params.name)
      return { ok: true }
    },
  }) satisfies Partial<Handlers>
