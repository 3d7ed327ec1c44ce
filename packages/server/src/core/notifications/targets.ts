// The targets of notifications: webhooks and email addresses of a project or an org.
import { isDeepStrictEqual } from 'node:util'
import { isEmail, limits, type NotificationEvent, type NotificationTarget } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { newId, newSecret } from '../../lib/ids.ts'
import {
  deleteTarget,
  insertTarget,
  listTargets,
  ownerColumns,
  updateTarget,
} from '../../store/notifications/targets.ts'
import { lockOrg } from '../../store/orgs/orgs.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Tx } from '../../store/store.ts'
import type { NotificationTargetRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { NotificationParts, Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { askToConfirm, recipientsOf } from '../forms/recipients.ts'
import { isChat } from './chat.ts'
import { placeOfSecret } from './secret.ts'
import { keyOf, ownerOf, requireTarget, type Subscriber } from './subscriber.ts'

/** Every failure. A successful deployment is told of only if somebody asks for it. */
const usualEvents: NotificationEvent[] = [
  'deploy.failed',
  'build.failed',
  'certificate.failed',
  'cron.failed',
  'app.crashing',
]

const auditPlace = (of: Subscriber) => ('project' in of ? { project: of.project } : { orgId: of.org.id })

interface TargetSettings {
  events?: NotificationEvent[] | undefined
  include_logs?: boolean | undefined
}

type Confirmations = Pick<Platform, 'store' | 'signups'>

export async function targetsOf(platform: Confirmations, of: Subscriber): Promise<NotificationTarget[]> {
  const rows = await listTargets(platform.store.db, keyOf(of))
  return await Promise.all(rows.map(row => describe(platform, of, row)))
}

export async function addTarget(
  platform: NotificationParts,
  caller: Caller,
  of: Subscriber,
  input: TargetSettings & { kind: 'webhook' | 'email'; address: string },
): Promise<NotificationTarget & { secret: string | null }> {
  const { kind } = input
  const address = check[kind](input.address)
  const row: NotificationTargetRow = {
    id: newId('ntf'),
    ...ownerColumns(keyOf(of)),
    kind,
    address,
    events: JSON.stringify([...new Set(input.events ?? usualEvents)]),
    include_logs: input.include_logs ? 1 : 0,
    created_at: platform.clock.now(),
  }
  const secret = kind === 'webhook' ? newSecret() : null
  if (kind === 'email') await askAddress(platform, of, address)
  await platform.store.transact(async tx => {
    await lockOwner(tx, of)
    requireRoom(await listTargets(tx, keyOf(of)))
    await requireNewAddress(tx, of, row)
    // The key is chosen after the project is locked, so that a key rotation can wait for this.
    await insertTarget(
      tx,
      row,
      secret === null ? undefined : platform.keyring.current.seal(secret, placeOfSecret(row.id)),
    )
    await audit(platform, tx, caller, {
      action: 'notification.create',
      ...auditPlace(of),
      target: row.id,
      details: detailsOf(row),
    })
  })
  return { ...(await describe(platform, of, row)), secret: isChat(address) ? null : secret }
}

/** Asks before the target is stored, since a limit of emails can refuse it. */
const askAddress = (platform: NotificationParts, of: Subscriber, address: string): Promise<void> =>
  askToConfirm(platform, ownerOf(of), address, `problems of ${ownerOf(of).name}`)

/** So that two changes at the same time do not pass the limit together, or add the same address twice. */
async function lockOwner(tx: Tx, of: Subscriber): Promise<void> {
  const locked = 'project' in of ? await lockProject(tx, of.project.id) : await lockOrg(tx, of.org.id)
  if (!locked) throw new Fault('not_found', 'The project or org has just been deleted.')
}

function requireRoom(targets: NotificationTargetRow[]): void {
  if (targets.length >= limits.notificationTargets)
    throw new Fault(
      'invalid_request',
      `There are ${limits.notificationTargets} targets already, which is the limit. Remove one first.`,
    )
}

async function requireNewAddress(
  tx: Tx,
  of: Subscriber,
  { id, kind, address }: NotificationTargetRow,
): Promise<void> {
  const others = (await listTargets(tx, keyOf(of))).filter(other => other.id !== id)
  if (others.some(other => other.kind === kind && other.address === address))
    throw new Fault('invalid_request', `address: notifications go to this ${kind} already`)
}

/** Notifications that wait go to the new address. A webhook keeps its secret. */
export async function changeTarget(
  platform: NotificationParts,
  caller: Caller,
  of: Subscriber,
  id: string,
  change: TargetSettings & { address?: string | undefined },
): Promise<NotificationTarget> {
  const { kind, address: known } = await requireTarget(platform.store.db, of, id)
  const address = change.address === undefined ? known : check[kind](change.address)
  if (kind === 'email' && address !== known) await askAddress(platform, of, address)
  const row = await platform.store.transact(async tx => {
    await lockOwner(tx, of)
    const before = await requireTarget(tx, of, id)
    const events = change.events ? JSON.stringify([...new Set(change.events)]) : before.events
    const after = {
      ...before,
      events,
      address: change.address === undefined ? before.address : address,
      include_logs: change.include_logs === undefined ? before.include_logs : Number(change.include_logs),
    }
    if (isDeepStrictEqual(after, before)) return before
    await requireNewAddress(tx, of, after)
    await updateTarget(tx, after)
    await audit(platform, tx, caller, {
      action: 'notification.update',
      ...auditPlace(of),
      target: id,
      details: detailsOf(after),
    })
    return after
  })
  return await describe(platform, of, row)
}

export async function removeTarget(
  platform: Rows,
  caller: Caller,
  of: Subscriber,
  id: string,
): Promise<void> {
  await platform.store.transact(async tx => {
    const row = await requireTarget(tx, of, id)
    await deleteTarget(tx, id)
    await audit(platform, tx, caller, {
      action: 'notification.delete',
      ...auditPlace(of),
      target: id,
      details: detailsOf(row),
    })
  })
}

/** A path of a webhook is often a secret, so the audit log names the host alone. */
const detailsOf = ({ kind, address, events, include_logs }: NotificationTargetRow) => ({
  kind,
  address: kind === 'webhook' ? new URL(address).host : address,
  events: (JSON.parse(events) as string[]).join(', '),
  ...(include_logs === 1 && { include_logs: 'yes' }),
})

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new Fault('invalid_request', 'address: must be a URL such as https://example.com/hook')
  if (url.username || url.password)
    throw new Fault(
      'invalid_request',
      'address: must be a URL without a name and password. Check the signature of the requests instead.',
    )
  if (url.port !== '' && Number(url.port) < 1024)
    throw new Fault('invalid_request', 'address: the port must be 80, 443, or 1024 and above')
  url.hash = ''
  return url.href
}

function checkEmail(text: string): string {
  if (!isEmail(text)) throw new Fault('invalid_request', 'address: must be an email address')
  return text
}

const check = { webhook: checkUrl, email: checkEmail } as const

async function describe(
  platform: Confirmations,
  of: Subscriber,
  row: NotificationTargetRow,
): Promise<NotificationTarget> {
  const { id, kind, address, events, include_logs, created_at } = row
  const isConfirmed =
    kind === 'webhook' || (await recipientsOf(platform, ownerOf(of), address)).confirmed.length > 0
  return {
    id,
    kind,
    address,
    events: JSON.parse(events) as NotificationEvent[],
    include_logs: include_logs === 1,
    confirmed: isConfirmed,
    created_at: isoTime(created_at),
  }
}
