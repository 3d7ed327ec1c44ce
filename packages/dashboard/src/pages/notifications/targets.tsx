// Where the notifications of a project or an org go.
import type { NotificationTarget } from '@svc/contract'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Section } from '../../components/section.tsx'
import { notify } from '../../components/toasts.tsx'
import { useWork } from '../../use-work.ts'
import { AddDialog } from './add-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { LogDialog } from './log-dialog.tsx'
import { eventWords, type Owner, removeTarget, sendTest, useTargets } from './notifications.ts'
import styles from './targets.module.css'

type Asking = { to: 'add' } | { to: 'edit' | 'log' | 'remove'; target: NotificationTarget }

export function Targets({ owner }: { owner: Owner }) {
  const [asking, setAsking] = useState<Asking>()
  const close = () => setAsking(undefined)
  return (
    <Section
      title="Notifications"
      lead={
        owner.base === 'orgs'
          ? 'A webhook or an email when something breaks in any project of the organization.'
          : 'A webhook or an email when something breaks.'
      }
      actions={
        <Button icon="plus" onClick={() => setAsking({ to: 'add' })}>
          Add target
        </Button>
      }
    >
      <Loaded resource={useTargets(owner)} rows={2} label="Loading notifications">
        {targets =>
          targets.length === 0 ? (
            <Empty>No notifications yet. Add a URL or an email address.</Empty>
          ) : (
            <Rows columns="minmax(0, 1fr) auto" end="below">
              {targets.map(target => (
                <TargetRow
                  key={target.id}
                  owner={owner}
                  target={target}
                  onEdit={() => setAsking({ to: 'edit', target })}
                  onLog={() => setAsking({ to: 'log', target })}
                  onRemove={() => setAsking({ to: 'remove', target })}
                />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {asking?.to === 'add' && <AddDialog owner={owner} onClose={close} />}
      {asking?.to === 'edit' && <EditDialog owner={owner} target={asking.target} onClose={close} />}
      {asking?.to === 'log' && <LogDialog owner={owner} target={asking.target} onClose={close} />}
      {asking?.to === 'remove' && <RemoveDialog owner={owner} target={asking.target} onClose={close} />}
    </Section>
  )
}

interface TargetRowProps {
  owner: Owner
  target: NotificationTarget
  onEdit: () => void
  onLog: () => void
  onRemove: () => void
}

function TargetRow({ owner, target, onEdit, onLog, onRemove }: TargetRowProps) {
  const { id, address, events, confirmed } = target
  const { busy, run } = useWork()

  async function test() {
    await sendTest(owner, id)
    notify({ tone: 'ok', text: 'A test is being sent. The log shows how it went.' })
  }

  return (
    <Row>
      <div>
        <p className={styles.address}>{address}</p>
        <p className={styles.events}>
          {!confirmed && 'Not confirmed yet. '}
          {events.map(event => eventWords[event] ?? event).join(' · ')}
        </p>
      </div>
      <div className={styles.actions}>
        <Button size="small" busy={busy} onClick={() => run(test)}>
          Send a test
        </Button>
        <Button size="small" onClick={onEdit}>
          Edit
        </Button>
        <Button size="small" onClick={onLog}>
          Log
        </Button>
        <IconButton size="small" icon="trash" label={`Delete ${address}`} onClick={onRemove} />
      </div>
    </Row>
  )
}

function RemoveDialog({
  owner,
  target,
  onClose,
}: Omit<TargetRowProps, 'onEdit' | 'onLog' | 'onRemove'> & { onClose: () => void }) {
  return (
    <ConfirmDialog
      title="Delete this target?"
      action="Delete target"
      keep="Keep it"
      run={() => removeTarget(owner, target.id)}
      onClose={onClose}
    >
      <p>
        <code>{target.address}</code> gets no more notifications, and its log is gone.
      </p>
    </ConfirmDialog>
  )
}
