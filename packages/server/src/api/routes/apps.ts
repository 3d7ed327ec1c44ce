// The server app of a project: restart it, and evict its pages from the caches.
import { restartProject } from '../../core/apps/restart.ts'
import { revalidate } from '../../core/apps/revalidation.ts'
import type { Platform, Rows } from '../../core/base/platform.ts'
import type { Handlers } from '../call.ts'

export const appRoutes = (platform: Rows & Pick<Platform, 'evictions'>) =>
  ({
    'POST /projects/:name/restart': async ({ caller, project }) => ({
      ok: true,
      restarting: await restartProject(platform, caller, project),
    }),
    'POST /projects/:name/revalidate': async ({ caller, project, body }) => ({
      ok: true,
      evicted: await revalidate(platform, caller, project, body.paths),
    }),
  }) satisfies Partial<Handlers>
