import { Card, Cards } from '../../../components/card.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Section } from '../../../components/section.tsx'
import { AuditLog } from '../../platform/audit/audit-log.tsx'
import { auditOf } from '../../platform/audit/lists.ts'
import { AccountLayout } from '../account/account-layout.tsx'
import { AuthenticatorCard } from './authenticator-card.tsx'
import { GitHubCard } from './github-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { PasswordForm } from './password-form.tsx'
import { useSecurity } from './security.ts'

export function SecurityPage() {
  const security = useSecurity()
  const changes = auditOf('account')
  const { refresh: refreshChanges } = changes.use()
  const refresh = () => void Promise.all([security.refresh(), refreshChanges()])
  return (
    <AccountLayout title="Sign-in and security">
      <Loaded resource={security} rows={3} label="Loading the ways to sign in">
        {state => (
          <Cards>
            <PasskeysCard security={state} onChange={refresh} />
            <AuthenticatorCard security={state} onChange={refresh} />
            <GitHubCard security={state} onChange={refresh} />
            {state.password && (
              <Card title="Password" lead="A new password signs you out of the dashboard everywhere else.">
                <PasswordForm />
              </Card>
            )}
            <Section title="Recent changes" lead="Changes to how you sign in, kept for a year.">
              <AuditLog of="account" list={changes} />
            </Section>
          </Cards>
        )}
      </Loaded>
    </AccountLayout>
  )
}
