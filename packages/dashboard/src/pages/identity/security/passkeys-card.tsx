// The passkeys of the account.
import type { Passkey, SignInSecurity } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Card, CardAction } from '../../../components/card.tsx'
import { Row, Rows } from '../../../components/rows.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { notify } from '../../../components/toasts.tsx'
import { formatDay } from '../../../format.ts'
import { canUsePasskeys } from '../passkeys.ts'
import { AddPasskeyDialog } from './add-passkey-dialog.tsx'
import { ConfirmIdentityDialog } from './confirm-identity-dialog.tsx'
import styles from './passkeys-card.module.css'
import { RenamePasskeyDialog } from './rename-passkey-dialog.tsx'
import { type Confirmation, removePasskey } from './security.ts'

interface PasskeysCardProps {
  security: SignInSecurity
  onChange: () => void
}

type Asking = { to: 'add' } | { to: 'rename' | 'remove'; passkey: Passkey }

export function PasskeysCard({ security, onChange }: PasskeysCardProps) {
  const { passkeys } = security
  const [asking, setAsking] = useState<Asking>()
  const close = () => setAsking(undefined)
  const canConfirm = security.password || passkeys.some(({ usable }) => usable)

  async function remove({ id, name }: Passkey, confirmation: Confirmation) {
    await removePasskey(id, confirmation)
    onChange()
    close()
    notify({ tone: 'ok', text: `The passkey ${name} was removed.` })
  }

  return (
    <Card
      title="Passkeys"
      lead="Sign in with your fingerprint, your face or the PIN of your device, without a password and a code."
    >
      {passkeys.length > 0 && (
        <Rows columns="minmax(0, 1fr) auto" end="below">
          {passkeys.map(passkey => (
            <PasskeyRow key={passkey.id} passkey={passkey} onAsk={to => setAsking({ to, passkey })} />
          ))}
        </Rows>
      )}
      <CardAction words={whyNot(canConfirm) ?? (passkeys.length === 0 ? 'You have none yet.' : '')}>
        {!whyNot(canConfirm) && (
          <Button icon="plus" onClick={() => setAsking({ to: 'add' })}>
            Add a passkey
          </Button>
        )}
      </CardAction>
      {asking?.to === 'add' && <AddPasskeyDialog security={security} onAdded={onChange} onClose={close} />}
      {asking?.to === 'rename' && (
        <RenamePasskeyDialog passkey={asking.passkey} onRenamed={onChange} onClose={close} />
      )}
      {asking?.to === 'remove' && (
        <ConfirmIdentityDialog
          security={security}
          title="Remove this passkey?"
          action="Remove passkey"
          look="danger"
          run={confirmation => remove(asking.passkey, confirmation)}
          onClose={close}
        >
          You cannot sign in with <strong>{asking.passkey.name}</strong> any more. Remove it from your device,
          too: svc cannot do that.
        </ConfirmIdentityDialog>
      )}
    </Card>
  )
}

function whyNot(canConfirm: boolean): string | undefined {
  if (!canUsePasskeys()) return 'This browser can use passkeys only over HTTPS.'
  if (!canConfirm) return 'Adding one needs a password. Ask the operator to set one for your account.'
  return undefined
}

function PasskeyRow({ passkey, onAsk }: { passkey: Passkey; onAsk: (to: 'rename' | 'remove') => void }) {
  const { name, created_at, last_used_at, usable, domain } = passkey
  return (
    <Row>
      <div>
        <p className={styles.name}>{name}</p>
        <p className={styles.facts}>
          {!usable && `Made for ${domain}, and works there alone. Remove it, and add a new one here. `}
          Added {formatDay(created_at)},{' '}
          {last_used_at ? (
            <>
              last used <TimeAgo at={last_used_at} />
            </>
          ) : (
            'never used'
          )}
        </p>
      </div>
      <div className={styles.actions}>
        <Button size="small" aria-label={`Rename ${name}`} onClick={() => onAsk('rename')}>
          Rename
        </Button>
        <Button size="small" aria-label={`Remove ${name}`} onClick={() => onAsk('remove')}>
          Remove
        </Button>
      </div>
    </Row>
  )
}
