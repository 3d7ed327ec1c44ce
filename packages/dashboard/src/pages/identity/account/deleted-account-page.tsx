// What the owner of an account that waits for its deletion sees in place of every page.
import type { Account } from '@svc/contract'
import { call, saveExport } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { ExportButton } from '../../../components/export-button.tsx'
import { Gate } from '../../../components/gate.tsx'
import { notify } from '../../../components/toasts.tsx'
import { formatDay } from '../../../format.ts'
import { refreshAccount, signOut } from '../../../session.ts'
import { useWork } from '../../../use-work.ts'
import styles from '../sign-in/switch-account-page.module.css'

export function DeletedAccountPage({ account }: { account: Account }) {
  const { gitforge_login: login, delete_at, delete_by } = account
  const { busy, run } = useWork()

  async function keep() {
    await call('POST /me/keep')
    await refreshAccount()
    notify({ tone: 'ok', text: 'Your account stays, and your sites are online again.' })
  }

  const byOperator = delete_by === 'operator'
  const choice = byOperator
    ? 'The operator of the platform deletes it. Until then you can download your data.'
    : 'Until then you can keep it, or download your data.'
  return (
    <Gate
      title="Your account will be deleted"
      lead={
        <>
          <strong>{login}</strong> and everything it owns will be deleted on {formatDay(delete_at ?? '')}.
          Your sites are offline. {choice}
        </>
      }
    >
      <div className={styles.choices}>
        {!byOperator && (
          <Button look="primary" size="large" disabled={busy} onClick={() => run(keep)}>
            Keep my account
          </Button>
        )}
        <ExportButton size="large" save={() => saveExport(login)}>
          Download my data
        </ExportButton>
        <Button size="large" onClick={signOut}>
          Sign out
        </Button>
      </div>
    </Gate>
  )
}
