import type { OrgDetail } from '@svc/contract'
import { useState } from 'react'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { TokenForm } from '../../components/token-form.tsx'
import { titleOf } from '../../orgs.ts'
import { useNamesOf } from '../projects/list.ts'
import styles from './new-org-token-dialog.module.css'
import { createToken } from './token-list.ts'

const kinds = [
  {
    value: 'deploy',
    title: 'Deploy only',
    note: 'For CI: deploys and rolls back all projects or one, nothing else.',
  },
  { value: 'ai', title: 'AI gateway', note: 'For programs that call models on the organization’s account.' },
] as const

type Made = Awaited<ReturnType<typeof createToken>>

export function NewOrgTokenDialog({ org, onClose }: { org: OrgDetail; onClose: () => void }) {
  const [made, setMade] = useState<Made>()
  const projects = useNamesOf(org.name) ?? []
  if (!made)
    return (
      <TokenForm
        title={`New token of ${titleOf(org)}`}
        kinds={kinds}
        projects={{ deploy: projects }}
        create={async (kind, token) => setMade(await createToken(org.name, kind, token))}
        onClose={onClose}
      />
    )
  return (
    <SecretDialog
      title="The new token"
      secret={made.secret}
      copyLabel="Copy the token"
      warning="Copy it now. It is shown this once, and nobody can show it again."
      onClose={onClose}
    >
      {made.token.kind === 'deploy' && (
        <p className={styles.note}>
          In CI, store it as the secret variable <code>SVC_TOKEN</code>, then run{' '}
          <code>svc deploy --project {made.token.project ?? 'my-site'}</code>.
        </p>
      )}
    </SecretDialog>
  )
}
