// Jobs that send the emails of a form: one for each form, however many submissions wait for it.
import type { FormKey } from '../../store/forms/forms.ts'
import { enqueue } from '../../store/platform/jobs.ts'
import type { Db } from '../../store/store.ts'

export const askForMail = (db: Db, { project_id, form }: FormKey, now: number): Promise<void> =>
  enqueue(db, { kind: 'form-mail', key: `${project_id} ${form}`, runAt: now, now })

/** The form that a job sends the emails of. */
export function formOf(jobKey: string): FormKey {
  const [project_id = '', form = ''] = jobKey.split(' ')
  return { project_id, form }
}
