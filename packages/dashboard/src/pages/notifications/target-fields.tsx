// The address of a target and the events that it gets.
import type { NotificationEvent } from '@svc/contract'
import { Field } from '../../components/field.tsx'
import { eventWords } from './notifications.ts'
import styles from './target-fields.module.css'

const all = Object.keys(eventWords) as NotificationEvent[]

/** What the form says. */
interface TargetEntry {
  address: string
  events: NotificationEvent[]
  include_logs: boolean
}

export const newTarget: TargetEntry = {
  address: '',
  events: all.filter(event => event !== 'deploy.succeeded'),
  include_logs: false,
}

export const isComplete = ({ address, events }: TargetEntry): boolean =>
  address.trim() !== '' && events.length > 0

interface TargetFieldsProps {
  label: string
  hint: string
  entry: TargetEntry
  onChange: (entry: TargetEntry) => void
}

export function TargetFields({ label, hint, entry, onChange }: TargetFieldsProps) {
  const { address, events, include_logs } = entry
  const isChosen = (event: NotificationEvent) => events.includes(event)
  const flip = (event: NotificationEvent) =>
    onChange({ ...entry, events: all.filter(other => isChosen(other) !== (other === event)) })
  return (
    <>
      <Field
        label={label}
        name="address"
        data-autofocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="https://example.com/hook"
        hint={hint}
        value={address}
        onChange={event => onChange({ ...entry, address: event.target.value })}
      />
      <fieldset className={styles.events}>
        <legend>Notify when</legend>
        {all.map(event => (
          <label key={event}>
            <input type="checkbox" checked={isChosen(event)} onChange={() => flip(event)} />
            {eventWords[event]}
          </label>
        ))}
      </fieldset>
      {address.includes('://') && (
        <fieldset className={styles.events}>
          <legend>Contents</legend>
          <label>
            <input
              type="checkbox"
              checked={include_logs}
              onChange={() => onChange({ ...entry, include_logs: !include_logs })}
            />
            Include the app’s last log lines, which may hold secrets
          </label>
        </fieldset>
      )}
    </>
  )
}
