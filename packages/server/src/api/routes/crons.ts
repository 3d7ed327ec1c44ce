// Scheduled jobs of a project.

import type { CronParts } from '../../core/base/platform.ts'
import { createCron, cronsOf, removeCron, runsOf, upcomingOf, updateCron } from '../../core/crons/crons.ts'
import { runNow } from '../../core/crons/run.ts'
import { cronSecretOf } from '../../core/crons/secret.ts'
import type { Handlers } from '../call.ts'

export const cronRoutes = (platform: CronParts) =>
  ({
    'GET /projects/:name/crons': async ({ project }) => ({
      crons: await cronsOf(platform, project),
      verification_secret: (await cronSecretOf(platform, project.id)).reveal(),
    }),
    'POST /projects/:name/crons': async ({ caller, project, body }) =>
      await createCron(platform, caller, project, body),
    'PATCH /projects/:name/crons/:id': async ({ caller, project, params, body }) =>
      await updateCron(platform, caller, project, params.id, body),
    'DELETE /projects/:name/crons/:id': async ({ caller, project, params }) => {
      await removeCron(platform, caller, project, params.id)
      return { ok: true }
    },
    'GET /projects/:name/crons/next': async ({ query }) => upcomingOf(platform, query.schedule),
    'GET /projects/:name/crons/:id/runs': async ({ project, params }) => ({
      runs: await runsOf(platform, project, params.id),
    }),
    'POST /projects/:name/crons/:id/run': async ({ project, params }) =>
      await runNow(platform, project.id, params.id),
  }) satisfies Partial<Handlers>
