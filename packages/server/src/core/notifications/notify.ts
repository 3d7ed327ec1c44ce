// Queues notifications in the transaction of the event, so that a crash loses none. A worker sends them.
import { limits, type NotificationEvent } from '@svc/contract'
import { hourMs } from '@svc/contract/durations'
import { newId } from '../../lib/ids.ts'
import { insertDelivery } from '../../store/notifications/deliveries.ts'
import { closeIncident, openIncident } from '../../store/notifications/incidents.ts'
import { targetsOfProject } from '../../store/notifications/targets.ts'
import { findProjectWithOrg } from '../../store/projects/projects.ts'
import type { Tx } from '../../store/store.ts'
import type { NotificationDeliveryRow, NotificationTargetRow } from '../../store/tables.ts'

/** While a problem lasts, people are reminded of it this often at most. */
const remindAfterMs = 6 * hourMs
const longestError = 1_000

interface Happened {
  event: NotificationEvent
  projectId: string
  /** What it happened to: the id of a deployment, build or job, or a domain. */
  subject: string
  /** The end of the sentence that begins with the name of the project. */
  words: string
  error?: string | null
  /** Further facts for programs. */
  facts?: Record<string, string | number | null>
  /** The page of the dashboard, below the project's. */
  page: string
}

/** What is stored of a notification. The worker adds the URL and makes the body of it. */
export interface Content {
  text: string
  project: string | null
  org: string | null
  subject: string | null
  error: string | null
  facts: Record<string, string | number | null>
  /** The path of the page in the dashboard. */
  page: string
}

/** Tells of one event, such as a failed build. */
export async function notify(tx: Tx, now: number, happened: Happened): Promise<void> {
  await queue(tx, now, happened, happened.event)
}

/** Tells of a problem when it begins, and again after some hours if it lasts. */
export async function notifyOfProblem(tx: Tx, now: number, happened: Happened): Promise<void> {
  if (await openIncident(tx, incidentOf(happened), now, remindAfterMs))
    await queue(tx, now, happened, happened.event)
}

/** Tells that a problem is over. Does nothing if there was none. */
export async function notifyOfRecovery(tx: Tx, now: number, happened: Happened): Promise<void> {
  if (await closeIncident(tx, incidentOf(happened)))
    await queue(tx, now, happened, `${happened.event.split('.')[0]}.recovered`)
}

const incidentOf = ({ projectId, event, subject }: Happened) => ({ project_id: projectId, event, subject })

async function queue(tx: Tx, now: number, happened: Happened, type: string): Promise<void> {
  const targets = (await targetsOfProject(tx, happened.projectId)).filter(({ events }) =>
    (JSON.parse(events) as string[]).includes(happened.event),
  )
  if (targets.length === 0) return
  const project = await findProjectWithOrg(tx, happened.projectId)
  if (!project) return
  const { subject, error, facts = {}, words, page } = happened
  const content: Content = {
    text: `${project.name}: ${words}`,
    project: project.name,
    org: project.org_name,
    subject,
    error: null,
    facts,
    page: `/projects/${project.name}${page}`,
  }
  for (const target of targets) {
    const told = { ...content, error: errorFor(target, error) }
    await insertDelivery(tx, newDelivery(target.id, type, told, now), limits.notificationDeliveries)
  }
}

/** The first line says what failed. Others are the last lines of the app, which may hold secrets and personal data. */
function errorFor(target: NotificationTargetRow, error: string | null | undefined): string | null {
  if (error === null || error === undefined) return null
  const isWhole = target.kind === 'email' || target.include_logs === 1
  return (isWhole ? error : error.split('\n', 1).join('')).slice(0, longestError)
}

export const newDelivery = (
  targetId: string,
  type: string,
  content: Content,
  now: number,
): NotificationDeliveryRow => ({
  id: newId('dlv'),
  target_id: targetId,
  type,
  content: JSON.stringify(content),
  state: 'pending',
  attempts: 0,
  next_at: now,
  status: null,
  response: null,
  created_at: now,
  delivered_at: null,
})
