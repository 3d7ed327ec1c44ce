import type { OwnToken } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { MoreButton } from '../../../components/more-button.tsx'
import { AccountLayout } from '../account/account-layout.tsx'
import { revoke, tokenList } from './list.ts'
import { NewTokenDialog } from './new-token-dialog.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'
import { TokenRows } from './token-rows.tsx'
import styles from './tokens-page.module.css'

export function TokensPage() {
  const tokens = tokenList.use()
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<OwnToken>()
  return (
    <AccountLayout
      title="Access tokens"
      actions={
        <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
          New token
        </Button>
      }
    >
      <p className={styles.lead}>
        What is signed in as you: this dashboard, devices you approved, and tokens you made for programs.
      </p>
      <Loaded resource={tokens} rows={3} label="Loading tokens">
        {page => (
          <>
            <TokenRows tokens={page.rows} onRevoke={setRevoking} />
            <MoreButton list={tokenList} shown={page} />
          </>
        )}
      </Loaded>
      {creating && <NewTokenDialog onCreated={tokens.refresh} onClose={() => setCreating(false)} />}
      {revoking && (
        <RevokeDialog
          token={revoking}
          revoke={() => revoke(revoking)}
          consequence={
            revoking.current
              ? "is signed out now: this browser, too. You can't undo this, and have to sign in again."
              : "is signed out now. You can't undo this."
          }
          onClose={() => setRevoking(undefined)}
        />
      )}
    </AccountLayout>
  )
}
