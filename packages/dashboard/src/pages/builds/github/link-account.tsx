// Links the account to a GitHub user, who can sign in to it afterwards. So the password or a passkey is asked for first.
import { useState } from 'react'
import { call, explain } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Notice } from '../../../components/notice.tsx'
import { ConfirmIdentityDialog } from '../../identity/security/confirm-identity-dialog.tsx'
import { type Confirmation, useSecurity } from '../../identity/security/security.ts'
import { type Device, DeviceWait } from './device-code.tsx'

export function LinkAccount({ onLinked }: { onLinked: () => Promise<void> }) {
  const security = useSecurity()
  const [isAsking, setAsking] = useState(false)
  const [device, setDevice] = useState<Device>()
  const [error, setError] = useState<string>()

  async function start(confirmation: Confirmation) {
    setDevice(await call('POST /github/link', { body: confirmation }))
    setError(undefined)
    setAsking(false)
  }

  function end(failure: unknown) {
    setDevice(undefined)
    setError(explain(failure))
  }

  return (
    <>
      <p>Your account is not linked to a GitHub user yet.</p>
      {error && <Notice tone="error">{error}</Notice>}
      {device ? (
        <DeviceWait device={device} onApproved={onLinked} onEnd={end} />
      ) : (
        <div>
          <Button look="primary" size="large" onClick={() => setAsking(true)}>
            Link to GitHub
          </Button>
        </div>
      )}
      {isAsking && (
        <Loaded resource={security} rows={1} label="Loading how you sign in">
          {state => (
            <ConfirmIdentityDialog
              security={state}
              title="Link to GitHub"
              action="Continue"
              run={start}
              onClose={() => setAsking(false)}
            >
              Your GitHub user can sign in to your account afterwards.
            </ConfirmIdentityDialog>
          )}
        </Loaded>
      )}
    </>
  )
}
