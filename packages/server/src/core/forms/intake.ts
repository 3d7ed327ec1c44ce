// Stores what visitors send to the forms of a site.
import { formNamePattern, limits, rateLimits } from '@svc/contract'
import { networkOf } from '../../lib/client-address.ts'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import { formBytes, ownerId } from '../../store/billing/plan-usage.ts'
import {
  countForms,
  countTrapped,
  type FormKey,
  findForm,
  insertForm,
  insertSubmission,
} from '../../store/forms/forms.ts'
import { findProjectById, lockProject } from '../../store/projects/projects.ts'
import type { Tx } from '../../store/store.ts'
import type { FormRow } from '../../store/tables.ts'
import { allowancesOf } from '../base/plans.ts'
import type { PlanSettings, Rows } from '../base/platform.ts'
import { type Allowance, visitorLimit } from '../base/rate-limit.ts'
import { askForMail } from './mail-jobs.ts'

/** A value, or a list if the name is repeated. JSON may contain anything. */
export type Fields = Record<string, unknown>

interface SubmissionInput {
  projectId: string
  form: string
  fields: Fields
  country: string | null
  referrer: string | null
}

export interface FormIntake {
  /** Counts as a submission, even if it is refused later. Throws a Fault if there were too many. */
  admit(projectId: string, address: string): Promise<Allowance>
  /** Resolves once it is stored for good. */
  accept(input: SubmissionInput): Promise<void>
  /** Counts the submission of a bot, which is not stored. */
  drop(to: Pick<SubmissionInput, 'projectId' | 'form'>): Promise<void>
}

export function formIntakeOf(platform: PlanSettings & Rows): FormIntake {
  const limit = visitorLimit(platform, rateLimits.form, 'Too many submissions.')
  return {
    admit: (projectId, address) => limit(`form ${projectId} ${networkOf(address)}`),
    accept: input => accept(platform, input),
    drop: ({ projectId, form }) => countTrapped(platform.store.db, { project_id: projectId, form }),
  }
}

export function checkFormName(name: string): void {
  if (!formNamePattern.test(name))
    throw new Fault('invalid_request', 'The name of a form has 1 to 40 of a-z, 0-9 and -.')
}

async function accept(platform: PlanSettings & Rows, input: SubmissionInput): Promise<void> {
  checkFormName(input.form)
  const now = platform.clock.now()
  const key: FormKey = { project_id: input.projectId, form: input.form }
  const fields = JSON.stringify(input.fields)
  await platform.store.transact(async tx => {
    const form = (await findForm(tx, key)) ?? (await createForm(tx, key, now))
    await requireRoomFor(platform, tx, key, fields.length)
    const { country, referrer } = input
    const mail_due = form.notify === 'off' ? 0 : 1
    await insertSubmission(tx, {
      id: newId('sub'),
      ...key,
      fields,
      country,
      referrer,
      mail_due,
      is_read: 0,
      is_spam: 0,
      created_at: now,
    })
    if (mail_due) await askForMail(tx, key, now)
  })
}

/** The visitor gets a general message. The owner sees the reason in the list of forms. */
async function requireRoomFor(platform: PlanSettings, tx: Tx, key: FormKey, bytes: number): Promise<void> {
  const owner = await findProjectById(tx, key.project_id)
  if (!owner) return
  const { formBytes: allowed } = await allowancesOf(platform, tx, ownerId(owner))
  if ((await formBytes(tx, owner)) + bytes > allowed)
    throw new Fault('unavailable', 'This site takes no more submissions at the moment.')
}

/** Locks the project, so that two concurrent new forms cannot exceed the limit. */
async function createForm(tx: Tx, key: FormKey, now: number): Promise<FormRow> {
  const { project_id, form: name } = key
  await lockProject(tx, project_id)
  const project = await findProjectById(tx, project_id)
  if (!project || project.expires_at !== null)
    throw new Fault('not_found', 'This site takes no forms: nobody could read them.')
  if ((await countForms(tx, project_id)) >= limits.formsPerProject)
    throw new Fault(
      'invalid_request',
      `This site has ${limits.formsPerProject} forms already, and takes no new one.`,
    )
  await insertForm(tx, {
    project_id,
    name,
    notify: 'off',
    retention_days: null,
    created_at: now,
    stored_bytes: 0,
    trapped: 0,
  })
  const form = await findForm(tx, key)
  if (!form) throw new Error('a form that was just made is missing')
  return form
}
