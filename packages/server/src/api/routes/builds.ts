// The repository that a project builds from, and its builds.
import { branchList } from '../../core/builds/branch-list.ts'
import { connectedRepo, connectRepo, disconnectRepo } from '../../core/builds/connect.ts'
import { callDeployHook, createDeployHook, deployHooksOf, revokeDeployHook } from '../../core/builds/hooks.ts'
import {
  buildLog,
  buildNow,
  buildsOf,
  cancelBuild,
  describeBuild,
  projectBuild,
} from '../../core/builds/queue.ts'
import type { Platform } from '../../core/platform/platform.ts'
import { Fault } from '../../lib/fault.ts'
import { type Handlers, RawAnswer } from '../call.ts'

export const buildRoutes = (platform: Platform) =>
  ({
    'GET /projects/:name/repo': async ({ project }) => await connectedRepo(platform, project),
    'POST /projects/:name/repo': async ({ caller, project, body }) =>
      await connectRepo(platform, caller, project, body),
    'DELETE /projects/:name/repo': async ({ caller, project }) => {
      await disconnectRepo(platform, caller, project)
      return { ok: true }
    },
    'GET /projects/:name/builds': async ({ project, query }) => await buildsOf(platform, project, query),
    'POST /projects/:name/builds': async ({ caller, project, body }) =>
      await buildNow(platform, caller, project, body.branch),
    'GET /projects/:name/builds/:id': async ({ project, params }) =>
      await describeBuild(platform, await projectBuild(platform, project, params.id)),
    'GET /projects/:name/builds/:id/log': async ({ project, params, query }) => {
      const { id } = await projectBuild(platform, project, params.id)
      const text = await buildLog(platform.store.db, id, query.offset)
      return new RawAnswer(200, { 'content-type': 'text/plain; charset=utf-8' }, text)
    },
    'POST /projects/:name/builds/:id/cancel': async ({ caller, project, params }) => {
      await cancelBuild(platform, caller, project, params.id)
      return { ok: true }
    },
    'GET /projects/:name/branches': async ({ project }) => ({
      branches: await branchList(platform, project),
    }),
    'GET /projects/:name/hooks': async ({ project }) => ({ hooks: await deployHooksOf(platform, project) }),
    'POST /projects/:name/hooks': async ({ caller, project, body }) =>
      await createDeployHook(platform, caller, project, body),
    'DELETE /projects/:name/hooks/:id': async ({ caller, project, params }) => {
      await revokeDeployHook(platform, caller, project, params.id)
      return { ok: true }
    },
    'POST /hooks/deploy/:secret': async ({ params, ip }) => await callDeployHook(platform, params.secret, ip),
    'GET /hooks/deploy/:secret': async () => {
      throw new Fault('method_not_allowed', 'A deploy hook builds on POST: curl -X POST <url>')
    },
  }) satisfies Partial<Handlers>
