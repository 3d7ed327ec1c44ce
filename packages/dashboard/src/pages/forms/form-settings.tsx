// The settings of a form: who gets an email, how long submissions are kept, and the deletion of the form.
import type { Form as SiteForm } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { Card, CardAction } from '../../components/card.tsx'
import { Choices } from '../../components/choices.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Form, LineForm } from '../../components/form.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatCount } from '../../format.ts'
import { href } from '../../paths.ts'
import { useFormWork } from '../../use-work.ts'
import styles from './form-settings.module.css'
import { changeForm, type FormAt, removeForm } from './forms.ts'

interface SettingProps {
  at: FormAt
  form: SiteForm
}

const choices = [
  { value: 'off', title: 'Nobody', note: 'Look here, or export them.' },
  { value: 'on', title: 'The owner', note: 'Of the project, or all owners of its organization.' },
  { value: 'address', title: 'Another address', note: 'A mailbox of your team, for example.' },
] as const
type Choice = (typeof choices)[number]['value']

const mute = 'Saved, but this platform sends no email: its operator has set no SVCD_SMTP_URL.'

export function Emails({ at, form }: SettingProps) {
  const stored: Choice = form.notify === 'on' || form.notify === 'off' ? form.notify : 'address'
  const [choice, setChoice] = useState<Choice>(stored)
  const [address, setAddress] = useState(stored === 'address' ? form.notify : '')
  const wanted = choice === 'address' ? address.trim() : choice
  const { busy, error, setError, run } = useFormWork()
  async function save() {
    const { sends_email } = await changeForm(at, { notify: wanted })
    const isMute = !sends_email && wanted !== 'off'
    notify(isMute ? { tone: 'error', text: mute } : { tone: 'ok', text: 'Who gets an email was saved.' })
  }
  return (
    <Card title="Emails" lead="Who is told of new submissions.">
      <Form className={styles.form} onSubmit={() => run(save)}>
        <Choices
          legend="Tell"
          name="notify"
          choices={choices}
          value={choice}
          onChoose={value => {
            setChoice(value)
            setError(undefined)
          }}
        />
        {choice === 'address' && (
          <Field
            label="Address"
            type="email"
            name="address"
            autoComplete="email"
            value={address}
            onChange={event => {
              setAddress(event.target.value)
              setError(undefined)
            }}
          />
        )}
        {form.notify_pending.length > 0 && (
          <p className={styles.note}>
            {`Waiting for ${form.notify_pending.join(', ')} to confirm. The link is in the email we sent there; save again to send a new one.`}
          </p>
        )}
        <Problem text={error} />
        <div>
          <Button
            type="submit"
            busy={busy}
            disabled={wanted === '' || (wanted === form.notify && form.notify_pending.length === 0)}
          >
            Save
          </Button>
        </div>
      </Form>
    </Card>
  )
}

export function Retention({ at, form }: SettingProps) {
  const [days, setDays] = useState(String(form.retention_days ?? ''))
  const wanted = days.trim() === '' ? null : Number(days)
  const { min, max } = limits.formRetentionDays
  const { busy, error, setError, run } = useFormWork()
  async function save() {
    if (wanted !== null && !(Number.isInteger(wanted) && wanted >= min && wanted <= max))
      throw new Error(`Enter a number of days from ${min} to ${max}, or nothing.`)
    await changeForm(at, { retention_days: wanted })
    const text = wanted === null ? 'Submissions are kept.' : `Kept for ${formatCount(wanted, 'day')}.`
    notify({ tone: 'ok', text })
  }
  return (
    <Card
      title="Retention"
      lead="Submissions are deleted when they are this old. Leave it empty to keep them."
    >
      <LineForm onSubmit={() => run(save)}>
        <Field
          label="Days"
          name="retention"
          inputMode="numeric"
          autoComplete="off"
          placeholder="Kept until you delete them"
          value={days}
          error={error}
          onChange={event => {
            setDays(event.target.value)
            setError(undefined)
          }}
        />
        <Button type="submit" size="large" busy={busy} disabled={wanted === form.retention_days}>
          Save
        </Button>
      </LineForm>
    </Card>
  )
}

export function DeleteForm({ at, form }: SettingProps) {
  const [asking, setAsking] = useState(false)
  const [, navigate] = useLocation()
  const count = formatCount(form.submissions, 'submission')

  async function run() {
    await removeForm(at)
    navigate(href('/projects/:name/forms', { name: at.project }))
    notify({ tone: 'ok', text: `${at.form} was deleted.` })
  }

  return (
    <Card title="Delete form" danger>
      <CardAction
        words={`${count} and these settings are removed for good. The next submission begins it anew.`}
      >
        <Button look="danger" onClick={() => setAsking(true)}>
          Delete form
        </Button>
      </CardAction>
      {asking && (
        <ConfirmDialog
          title={`Delete ${at.form}?`}
          action="Delete form"
          keep="Keep it"
          run={run}
          onClose={() => setAsking(false)}
        >
          <p>
            {count} will be gone. <strong>Export them first</strong> if you may need them.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

function Problem({ text }: { text: string | undefined }) {
  return (
    <p className={styles.problem} aria-live="polite">
      {text}
    </p>
  )
}
