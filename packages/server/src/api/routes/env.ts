// Environment variables of a project.

import type { Rows, Vault } from '../../core/base/platform.ts'
import { listEnv, removeEnv, setEnv } from '../../core/env/env.ts'
import type { Handlers } from '../call.ts'

export const envRoutes = (platform: Rows & Vault) =>
  ({
    'GET /projects/:name/env': async ({ project, query }) => ({
      env: await listEnv(platform, project, query.environment),
    }),
    'PUT /projects/:name/env/:key': async ({ caller, project, params, body }) =>
      await setEnv(platform, caller, project, { key: params.key, ...body }),
    'DELETE /projects/:name/env/:key': async ({ caller, project, params, query }) => ({
      ok: true,
      ...(await removeEnv(platform, caller, project, params.key, query)),
    }),
  }) satisfies Partial<Handlers>
