// Jobs that send the emails of a form: one for each form, however many submissions wait for it.
import type { FormKey } from '../../store/forms/forms.ts'
import type { Db } from '../../store/store.ts'
import { enqueue } from '../base/jobs.ts'

export const askForMail = (db: Db, { project_id, form }: FormKey, now: number): Promise<void> =>
  enqueue(db, 'form-mail', { project_id, form }, { now })
