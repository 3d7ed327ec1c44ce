// Notifications of a project, and of all projects of an org.

import type { NotificationParts } from '../../core/base/platform.ts'
import { deliveriesOf, resend, sendTest } from '../../core/notifications/log.ts'
import { addTarget, changeTarget, removeTarget, targetsOf } from '../../core/notifications/targets.ts'
import type { Handlers } from '../call.ts'

export const notificationRoutes = (platform: NotificationParts) =>
  ({
    'GET /projects/:name/notifications': async ({ project }) => ({
      targets: await targetsOf(platform, { project }),
    }),
    'POST /projects/:name/notifications': async ({ caller, project, body }) =>
      await addTarget(platform, caller, { project }, body),
    'PATCH /projects/:name/notifications/:id': async ({ caller, project, params, body }) =>
      await changeTarget(platform, caller, { project }, params.id, body),
    'DELETE /projects/:name/notifications/:id': async ({ caller, project, params }) => {
      await removeTarget(platform, caller, { project }, params.id)
      return { ok: true }
    },
    'POST /projects/:name/notifications/:id/test': async ({ project, params }) =>
      await sendTest(platform, { project }, params.id),
    'GET /projects/:name/notifications/:id/deliveries': async ({ project, params }) => ({
      deliveries: await deliveriesOf(platform, { project }, params.id),
    }),
    'POST /projects/:name/notifications/:id/deliveries/:delivery/resend': async ({ project, params }) =>
      await resend(platform, { project }, params.id, params.delivery),

    'GET /orgs/:name/notifications': async ({ org }) => ({ targets: await targetsOf(platform, { org }) }),
    'POST /orgs/:name/notifications': async ({ caller, org, body }) =>
      await addTarget(platform, caller, { org }, body),
    'PATCH /orgs/:name/notifications/:id': async ({ caller, org, params, body }) =>
      await changeTarget(platform, caller, { org }, params.id, body),
    'DELETE /orgs/:name/notifications/:id': async ({ caller, org, params }) => {
      await removeTarget(platform, caller, { org }, params.id)
      return { ok: true }
    },
    'POST /orgs/:name/notifications/:id/test': async ({ org, params }) =>
      await sendTest(platform, { org }, params.id),
    'GET /orgs/:name/notifications/:id/deliveries': async ({ org, params }) => ({
      deliveries: await deliveriesOf(platform, { org }, params.id),
    }),
    'POST /orgs/:name/notifications/:id/deliveries/:delivery/resend': async ({ org, params }) =>
      await resend(platform, { org }, params.id, params.delivery),
  }) satisfies Partial<Handlers>
