// What was sent to a target, and how it went.
import type { NotificationDelivery, NotificationTarget } from '@svc/contract'
import { useState } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { notify } from '../../components/toasts.tsx'
import styles from './log-dialog.module.css'
import { type Owner, resend, useDeliveries } from './notifications.ts'

interface LogDialogProps {
  owner: Owner
  target: NotificationTarget
  onClose: () => void
}

export function LogDialog({ owner, target, onClose }: LogDialogProps) {
  const resource = useDeliveries(owner, target.id)
  return (
    <Dialog title={`Sent to ${target.address}`} onClose={onClose}>
      <Loaded resource={resource} rows={3} label="Loading the log">
        {deliveries =>
          deliveries.length > 0 ? (
            <ol className={styles.log}>
              {deliveries.map(delivery => (
                <Delivery
                  key={delivery.id}
                  delivery={delivery}
                  again={() => resend(owner, target.id, delivery.id)}
                />
              ))}
            </ol>
          ) : (
            <p>Nothing was sent yet.</p>
          )
        }
      </Loaded>
      <DialogActions>
        <Button onClick={() => void resource.refresh()}>Refresh</Button>
        <Button look="primary" data-autofocus onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Delivery({ delivery, again }: { delivery: NotificationDelivery; again: () => Promise<void> }) {
  const { type, state, attempts, status, response, body, created_at } = delivery
  const [busy, setBusy] = useState(false)
  async function send() {
    setBusy(true)
    await again().catch(failure => notify({ tone: 'error', text: explain(failure) }))
    setBusy(false)
  }
  return (
    <li>
      <div className={styles.line}>
        <span className={styles[state]}>{state}</span>
        <span>
          {type} · <TimeAgo at={created_at} /> · {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
          {status !== null && ` · status ${status}`}
        </span>
        <Button size="small" busy={busy} onClick={() => void send()}>
          Send again
        </Button>
      </div>
      <details>
        <summary>Body and answer</summary>
        <pre>{body}</pre>
        {response && <pre>{response}</pre>}
      </details>
    </li>
  )
}
