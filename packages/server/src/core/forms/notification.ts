// Emails about submissions. A job sends one email for all submissions since the last, at most one a minute for each form. It
// retries until the mail server accepts the email or it is no longer needed.
import { isEmail } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import type { Mail } from '../../ports/mailer/port.ts'
import { ownerId } from '../../store/billing/plan-usage.ts'
import {
  type FormKey,
  findForm,
  findSubmissions,
  forgetOldMail,
  formsWithMailDue,
  mailDone,
  mailDue,
} from '../../store/forms/forms.ts'
import { findProjectById } from '../../store/projects/projects.ts'
import type { FormRow, ProjectRow, SubmissionRow } from '../../store/tables.ts'
import { spendMail } from '../base/mail-limits.ts'
import type { FormMailParts, PlanSettings, Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { submittedText } from './csv.ts'
import { askForMail } from './mail-jobs.ts'
import { recipientsOf } from './recipients.ts'

const triedForMs = 3 * dayMs
const restMs = 60_000
/** How many submissions one email is about. */
const perMail = 5_000
/** How many of them are shown with their fields. */
const shownPerMail = 20
const longestValue = 2_000
const longestName = 200

/** Queues jobs for emails that are still due, because a job gives up after some failures. */
export async function askForMissingMail({
  store,
  mailer,
  clock,
}: Rows & Pick<Platform, 'mailer'>): Promise<void> {
  const now = clock.now()
  await forgetOldMail(store.db, now - triedForMs)
  if (!mailer.isConfigured) return
  for (const key of await formsWithMailDue(store.db)) await askForMail(store.db, key, now)
}

/**
 * Returns when to run again. Submissions are marked after the mail server accepted the email, so an email may be sent twice,
 * but none is lost.
 */
export async function sendFormMail(platform: FormMailParts, key: FormKey): Promise<number | undefined> {
  const { mailer, clock, urls } = platform
  const { db } = platform.store
  const { project_id, form: name } = key
  if (!mailer.isConfigured) return undefined
  const due = await mailDue(db, key, perMail)
  const form = await findForm(db, key)
  const project = await findProjectById(db, project_id)
  if (due.length === 0 || !form || !project) return undefined
  const shown = await findSubmissions(db, due.slice(0, shownPerMail))
  const mail = letter(urls, project, form, { shown, count: due.length })
  const { confirmed: to, pending } = await recipientsOf(platform, project, form.notify)
  // The emails wait for the confirmation. Without one they expire.
  if (to.length === 0 && pending.length > 0) return undefined
  const later = await tooMuchMail(platform, ownerId(project), to)
  if (later !== undefined) return later
  const taken = await Promise.all(to.map(address => mailer.send({ to: address, ...mail })))
  // Retry only if every address was refused. Otherwise the others would get the same email again.
  if (to.length > 0 && !taken.includes(true))
    throw new Error(`the mail server did not take the mail that tells of the form '${name}'`)
  await mailDone(db, due)
  return to.length > 0 ? clock.now() + restMs : undefined
}

/** When to retry if a limit is reached. The next email then covers all submissions since. */
async function tooMuchMail(
  platform: PlanSettings & Rows,
  owner: string,
  to: string[],
): Promise<number | undefined> {
  for (const address of to) {
    const retryAfter = await spendMail(platform, { ownerId: owner, to: address, recipient: 'confirmed' })
    if (retryAfter !== undefined) return platform.clock.now() + retryAfter * 1000
  }
  return undefined
}

function letter(
  urls: Platform['urls'],
  project: ProjectRow,
  form: FormRow,
  { shown, count }: { shown: SubmissionRow[]; count: number },
): Omit<Mail, 'to'> {
  const what = count === 1 ? 'New submission' : `${count} new submissions`
  const more = count > shown.length ? [`… and ${count - shown.length} more`] : []
  const replyTo = count === 1 && shown[0] ? senderOf(shown[0]) : undefined
  return {
    subject: `${what} to ${form.name} on ${project.name}`,
    text: `${[...shown.map(paragraph), ...more].join('\n\n')}

--
The form ${form.name} on ${urls.site(project.name)}
All submissions, and how to turn these emails off: ${urls.dashboard}/projects/${project.name}/forms/${form.name}
`,
    ...(replyTo && { replyTo }),
  }
}

function paragraph({ created_at, fields }: SubmissionRow): string {
  const lines = Object.entries(JSON.parse(fields) as Record<string, unknown>).map(([key, value]) => {
    const name = key.slice(0, longestName).replace(/\s+/g, ' ')
    const text = submittedText(value).slice(0, longestValue)
    return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`
  })
  return [`${isoTime(created_at).slice(0, 16).replace('T', ' ')} UTC`, ...lines].join('\n')
}

/** Uses the field `email` as Reply-To, so that a reply goes to the visitor. */
function senderOf({ fields }: SubmissionRow): string | undefined {
  const { email } = JSON.parse(fields) as { email?: unknown }
  return typeof email === 'string' && isEmail(email) ? email : undefined
}
