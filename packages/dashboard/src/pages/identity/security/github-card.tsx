// The GitHub user that can sign in to the account.
import type { SignInSecurity } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Card, CardAction } from '../../../components/card.tsx'
import { notify } from '../../../components/toasts.tsx'
import { ConfirmIdentityDialog } from './confirm-identity-dialog.tsx'
import { type Confirmation, canConfirm, unlinkGitHub } from './security.ts'

export function GitHubCard({ security, onChange }: { security: SignInSecurity; onChange: () => void }) {
  const [isAsking, setAsking] = useState(false)
  if (!security.github) return null

  async function unlink(confirmation: Confirmation) {
    await unlinkGitHub(confirmation)
    onChange()
    setAsking(false)
    notify({ tone: 'ok', text: 'Your account is no longer linked to a GitHub user.' })
  }

  return (
    <Card title="GitHub" lead="The linked GitHub user can sign in to your account.">
      <CardAction
        words={
          canConfirm(security)
            ? `Linked to ${security.github_login ?? 'a GitHub user'}.`
            : `Linked to ${security.github_login ?? 'a GitHub user'}. This is your only way to sign in, so it cannot be unlinked.`
        }
      >
        {canConfirm(security) && <Button onClick={() => setAsking(true)}>Unlink</Button>}
      </CardAction>
      {isAsking && (
        <ConfirmIdentityDialog
          security={security}
          title="Unlink the GitHub user?"
          action="Unlink"
          look="danger"
          run={unlink}
          onClose={() => setAsking(false)}
        >
          The GitHub user can no longer sign in to your account, and you are signed out of the dashboard
          everywhere else. Projects stop building from repositories that only this user may read.
        </ConfirmIdentityDialog>
      )}
    </Card>
  )
}
