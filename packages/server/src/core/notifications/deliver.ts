// Sends the notifications that are due. One worker makes each attempt. If it dies, another worker repeats the attempt, so a
// receiver may get a notification twice, with the same id.
import { hourMs, minuteMs } from '@svc/contract/durations'
import { withAnySignal } from '../../lib/any-signal.ts'
import { Secret } from '../../lib/secret.ts'
import { ownerId } from '../../store/billing/plan-usage.ts'
import { claimDelivery, dueDeliveries, endAttempt } from '../../store/notifications/deliveries.ts'
import { findSecret, findTargetWithOwner } from '../../store/notifications/targets.ts'
import type { NotificationDeliveryRow } from '../../store/tables.ts'
import { spendMail } from '../base/mail-limits.ts'
import type { NotificationParts } from '../base/platform.ts'
import { recipientsOf } from '../forms/recipients.ts'
import { bodyOf, mailOf } from './message.ts'
import { placeOfSecret, signBody } from './secret.ts'

const timeLimitMs = 15_000
/** How long the claim of a worker lasts, in case the worker dies. */
const heldMs = minuteMs
/** The pauses between the attempts. Then the notification has failed. */
const pauses = [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 2 * hourMs, 6 * hourMs, 12 * hourMs]
const longestResponse = 500

type Target = NonNullable<Awaited<ReturnType<typeof findTargetWithOwner>>>

interface Outcome {
  isDelivered: boolean
  status: number | null
  response: string | null
  /** Nothing was sent: try again at this time, and do not count the attempt. */
  postponedTo?: number
}

export interface StartedDelivery {
  targetId: string
  /** Resolves when the attempt is over and recorded. */
  done: Promise<unknown>
}

/** Claims due notifications and passes each started attempt to the callback. Resolves with the number of due ones. */
export async function startDeliveries(
  platform: NotificationParts,
  portion: Parameters<typeof dueDeliveries>[2],
  stopping: AbortSignal,
  started: (delivery: StartedDelivery) => void,
): Promise<number> {
  const { store, clock } = platform
  const due = await dueDeliveries(store.db, clock.now(), portion)
  for (const row of due) {
    if (stopping.aborted) break
    if (await claimDelivery(store.db, row, clock.now() + heldMs))
      started({
        targetId: row.target_id,
        done: deliver(platform, { ...row, attempts: row.attempts + 1 }, stopping),
      })
  }
  return due.length
}

async function deliver(
  platform: NotificationParts,
  row: NotificationDeliveryRow,
  stopping: AbortSignal,
): Promise<void> {
  const { store, clock } = platform
  const target = await findTargetWithOwner(store.db, row.target_id)
  if (!target) return
  const outcome = await (target.kind === 'webhook' ? sendRequest : sendEmail)(platform, target, row, stopping)
  await endAttempt(store.db, row, after(row, outcome, clock.now(), stopping.aborted))
}

function after(
  { attempts }: NotificationDeliveryRow,
  { isDelivered, status, response, postponedTo }: Outcome,
  now: number,
  isStopping: boolean,
): Partial<NotificationDeliveryRow> {
  const seen = { status, response: response?.slice(0, longestResponse) ?? null }
  if (isDelivered) return { ...seen, state: 'delivered', next_at: null, delivered_at: now }
  if (postponedTo !== undefined) return { ...seen, attempts: attempts - 1, next_at: postponedTo }
  if (isStopping) return { attempts: attempts - 1, next_at: now }
  const pause = pauses[attempts - 1]
  return pause === undefined ? { ...seen, state: 'failed', next_at: null } : { ...seen, next_at: now + pause }
}

async function sendRequest(
  platform: NotificationParts,
  target: Target,
  row: NotificationDeliveryRow,
  stopping: AbortSignal,
): Promise<Outcome> {
  const limit = platform.clock.timeout(timeLimitMs)
  try {
    const request = await signedRequest(platform, target, row)
    const send = (signal: AbortSignal) => platform.sendWebhook(request, signal)
    const { status, answer } = await withAnySignal([stopping, limit], send)
    // PostgreSQL stores no NUL.
    return { isDelivered: status >= 200 && status < 300, status, response: answer.replaceAll('\0', '') }
  } catch (error) {
    const words = limit.aborted ? 'There was no answer within 15 seconds.' : problem(error)
    return { isDelivered: false, status: null, response: words }
  }
}

async function signedRequest(
  { clock, store, keyring, version, urls }: NotificationParts,
  target: Target,
  row: NotificationDeliveryRow,
) {
  const sealed = await findSecret(store.db, target.id)
  if (!sealed) throw new Error('the secret of the webhook is gone')
  const timestamp = String(Math.floor(clock.now() / 1000))
  const body = bodyOf({ urls }, target.address, row)
  const secret = new Secret(keyring.open(sealed, placeOfSecret(target.id)))
  const headers = {
    'content-type': 'application/json',
    'user-agent': `svc-webhook/${version}`,
    'x-svc-event': row.type,
    'x-svc-delivery': row.id,
    'x-svc-timestamp': timestamp,
    'x-svc-signature': signBody(timestamp, body, secret),
  }
  return { url: target.address, headers, body }
}

async function sendEmail(
  platform: NotificationParts,
  target: Target,
  row: NotificationDeliveryRow,
): Promise<Outcome> {
  const { mailer } = platform
  const refused = (response: string): Outcome => ({ isDelivered: false, status: null, response })
  if (!mailer.isConfigured) return refused('This platform has no mail server.')
  const owner = { account_id: target.owner_account, org_id: target.owner_org }
  const { confirmed } = await recipientsOf(platform, owner, target.address)
  if (confirmed.length === 0)
    return refused('The address is not confirmed yet. Use the link in the email to it.')
  const mail = { ownerId: ownerId(owner), to: target.address, recipient: 'confirmed' } as const
  const retryAfter = await spendMail(platform, mail)
  if (retryAfter !== undefined)
    return {
      ...refused('Too many emails today. It is sent when the limit allows it.'),
      postponedTo: platform.clock.now() + retryAfter * 1000,
    }
  const isTaken = await mailer.send({ to: target.address, ...mailOf(platform, row, target.org_id !== null) })
  return isTaken
    ? { isDelivered: true, status: null, response: null }
    : refused('The mail server did not take the email.')
}

const problem = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return `The request failed: ${message || code || 'there was no answer'}`
}
