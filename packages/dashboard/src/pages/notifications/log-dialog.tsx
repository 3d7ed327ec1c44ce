// What was sent to a target, and how it went.
import type { NotificationDelivery, NotificationTarget } from '@svc/contract'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useWork } from '../../use-work.ts'
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
  const { busy, run } = useWork()
  return (
    <li>
      <div className={styles.line}>
        <span className={styles[state]}>{state}</span>
        <span>
          {type} · <TimeAgo at={created_at} /> · {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
          {status !== null && ` · status ${status}`}
        </span>
        <Button size="small" busy={busy} onClick={() => run(again)}>
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
