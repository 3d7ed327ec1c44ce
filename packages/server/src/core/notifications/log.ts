// The log of a target: what was sent, how it went, tests, and sending again.
import { limits, type NotificationDelivery } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { insertDelivery, listDeliveries, sendAgain } from '../../store/notifications/deliveries.ts'
import type { NotificationDeliveryRow } from '../../store/tables.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'
import { bodyOf } from './message.ts'
import { newDelivery } from './notify.ts'
import { ownerOf, requireTarget, type Subscriber } from './subscriber.ts'

type Log = Rows & Pick<Platform, 'urls'>

export async function sendTest(platform: Log, of: Subscriber, id: string): Promise<NotificationDelivery> {
  const { name } = ownerOf(of)
  const isProject = 'project' in of
  const content = {
    text: `${name}: this is a test notification.`,
    project: isProject ? name : null,
    org: isProject ? of.project.org_name : name,
    subject: null,
    error: null,
    facts: {},
    page: isProject ? `/projects/${name}` : `/orgs/${name}`,
  }
  const row = newDelivery(id, 'test', content, platform.clock.now())
  const { address } = await platform.store.transact(async tx => {
    const target = await requireTarget(tx, of, id)
    await insertDelivery(tx, row, limits.notificationDeliveries)
    return target
  })
  return describeDelivery(platform, address, row)
}

/** Newest first. */
export async function deliveriesOf(
  platform: Log,
  of: Subscriber,
  id: string,
): Promise<NotificationDelivery[]> {
  const { db } = platform.store
  const { address } = await requireTarget(db, of, id)
  const rows = await listDeliveries(db, id, limits.notificationDeliveries)
  return rows.map(row => describeDelivery(platform, address, row))
}

export async function resend(
  platform: Log,
  of: Subscriber,
  id: string,
  delivery: string,
): Promise<NotificationDelivery> {
  const { db } = platform.store
  const { address } = await requireTarget(db, of, id)
  const row = await sendAgain(db, id, delivery, platform.clock.now())
  if (!row) throw new Fault('not_found', `There is no notification '${delivery.slice(0, 40)}' in this log.`)
  return describeDelivery(platform, address, row)
}

const describeDelivery = (
  platform: Pick<Platform, 'urls'>,
  address: string,
  row: NotificationDeliveryRow,
): NotificationDelivery => ({
  id: row.id,
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  status: row.status,
  response: row.response,
  body: bodyOf(platform, address, row),
  created_at: isoTime(row.created_at),
  next_attempt_at: isoTimeOrNull(row.next_at),
  delivered_at: isoTimeOrNull(row.delivered_at),
})
