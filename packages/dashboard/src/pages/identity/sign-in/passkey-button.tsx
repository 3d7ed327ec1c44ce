// Sign-in with a passkey.
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { startSession } from '../../../session.ts'
import { leaving, useFormWork } from '../../../use-work.ts'
import { canUsePasskeys, signInWithPasskey } from '../passkeys.ts'

export function PasskeyButton() {
  const { busy, error, run } = useFormWork()
  if (!canUsePasskeys()) return null

  async function signIn() {
    await startSession((await signInWithPasskey()).token)
    return leaving
  }

  return (
    <>
      {error && <Notice tone="error">{error}</Notice>}
      <Button size="large" icon="key" busy={busy} onClick={() => run(signIn)}>
        Continue with a passkey
      </Button>
    </>
  )
}
