// Downloads the data of the account, and deletes it.
import { useState } from 'react'
import { call, saveExport } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Card, CardAction } from '../../../components/card.tsx'
import { ExportButton } from '../../../components/export-button.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { formatDay } from '../../../format.ts'
import { endSession, useLogin } from '../../../session.ts'
import { ConfirmIdentityDialog } from '../security/confirm-identity-dialog.tsx'
import { type Confirmation, canConfirm, useSecurity } from '../security/security.ts'

export function ExportCard() {
  const login = useLogin()
  return (
    <Card title="Your data">
      <CardAction words="Your projects with their settings, domains, form submissions and activity, as JSON lines. Files of deployments, secrets and statistics are not included.">
        <ExportButton save={() => saveExport(login)}>Download my data</ExportButton>
      </CardAction>
    </Card>
  )
}

const words =
  'Your sites go offline at once. Your projects, and organizations without other members, are deleted for good after a grace time.'
const whyNot =
  'Deleting it needs a password. Ask the operator to set one for your account, or to delete the account.'

export function DeleteCard() {
  const security = useSecurity()
  const [isAsking, setAsking] = useState(false)

  async function remove(confirmation: Confirmation) {
    const { delete_at } = await call('DELETE /me', { body: confirmation })
    const day = formatDay(delete_at)
    endSession(`Your account will be deleted on ${day}. To keep it, sign in before then.`)
  }

  return (
    <Card title="Delete account" danger>
      <Loaded resource={security} rows={1} label="Loading the ways to sign in">
        {state => (
          <>
            <CardAction words={canConfirm(state) ? words : whyNot}>
              {canConfirm(state) && (
                <Button look="danger" onClick={() => setAsking(true)}>
                  Delete account
                </Button>
              )}
            </CardAction>
            {isAsking && (
              <ConfirmIdentityDialog
                security={state}
                title="Delete your account?"
                action="Delete account"
                look="danger"
                run={remove}
                onClose={() => setAsking(false)}
              >
                <p>{words} You are signed out everywhere, and your tokens stop. Paid plans are cancelled.</p>
                <p>Until the grace time is over, you can sign in and keep the account.</p>
              </ConfirmIdentityDialog>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}
