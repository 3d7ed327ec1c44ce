// Notifications of a project or an org as the dashboard shows them, and the calls that change them.
import type { NotificationDelivery, NotificationEvent, NotificationTarget } from '@svc/contract'
import { call } from '../../api.ts'
import { type Resource, useResource, writeResource } from '../../resource.ts'

/** Whose notifications. */
export interface Owner {
  base: 'projects' | 'orgs'
  name: string
}

/** What people choose from, in their words. */
export const eventWords: Record<NotificationEvent, string> = {
  'deploy.failed': 'A deployment fails',
  'build.failed': 'A build fails',
  'certificate.failed': 'A certificate cannot be issued',
  'cron.failed': 'A scheduled job fails',
  'app.crashing': 'A server app crashes again and again',
  'deploy.succeeded': 'A deployment goes live',
}

const targetsKey = ({ base, name }: Owner) => `notifications of ${base} ${name}`
const logKey = (id: string) => `deliveries of ${id}`

export function useTargets(owner: Owner): Resource<NotificationTarget[]> {
  const { base, name } = owner
  return useResource(
    targetsKey(owner),
    async () => (await call(`GET /${base}/:name/notifications`, { params: { name } })).targets,
  )
}

export function useDeliveries({ base, name }: Owner, id: string): Resource<NotificationDelivery[]> {
  return useResource(logKey(id), async () => {
    const params = { name, id }
    return (await call(`GET /${base}/:name/notifications/:id/deliveries`, { params })).deliveries
  })
}

const write = (owner: Owner, change: (targets: NotificationTarget[]) => NotificationTarget[]) =>
  writeResource<NotificationTarget[]>(targetsKey(owner), change)

/** Resolves with the secret of a webhook. */
export async function addTarget(
  owner: Owner,
  body: { kind: 'webhook' | 'email'; address: string; events: NotificationEvent[]; include_logs: boolean },
): Promise<string | null> {
  const { base, name } = owner
  const { secret, ...target } = await call(`POST /${base}/:name/notifications`, { params: { name }, body })
  write(owner, targets => [...targets, target])
  return secret
}

export async function changeTarget(
  owner: Owner,
  id: string,
  body: { address: string; events: NotificationEvent[]; include_logs: boolean },
): Promise<void> {
  const { base, name } = owner
  const changed = await call(`PATCH /${base}/:name/notifications/:id`, { params: { name, id }, body })
  write(owner, targets => targets.map(target => (target.id === id ? changed : target)))
}

export async function removeTarget(owner: Owner, id: string): Promise<void> {
  const { base, name } = owner
  await call(`DELETE /${base}/:name/notifications/:id`, { params: { name, id } })
  write(owner, targets => targets.filter(target => target.id !== id))
}

export async function sendTest({ base, name }: Owner, id: string): Promise<void> {
  await call(`POST /${base}/:name/notifications/:id/test`, { params: { name, id } })
}

export async function resend({ base, name }: Owner, id: string, delivery: string): Promise<void> {
  const key = `POST /${base}/:name/notifications/:id/deliveries/:delivery/resend` as const
  const changed = await call(key, { params: { name, id, delivery } })
  writeResource<NotificationDelivery[]>(logKey(id), rows =>
    rows.map(row => (row.id === delivery ? changed : row)),
  )
}
