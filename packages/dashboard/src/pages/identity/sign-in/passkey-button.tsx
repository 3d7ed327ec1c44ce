// Sign-in with a passkey.
import { useState } from 'react'
import { explain } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { startSession } from '../../../session.ts'
import { canUsePasskeys, signInWithPasskey } from '../passkeys.ts'

export function PasskeyButton() {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  if (!canUsePasskeys()) return null

  async function signIn() {
    setBusy(true)
    setError(undefined)
    try {
      await startSession((await signInWithPasskey()).token)
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
    }
  }

  return (
    <>
      {error && <Notice tone="error">{error}</Notice>}
      <Button size="large" icon="key" busy={busy} onClick={() => void signIn()}>
        Continue with a passkey
      </Button>
    </>
  )
}
