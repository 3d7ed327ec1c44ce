import type { OrgToken } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { may } from '../../rights.ts'
import { nameOf, RevokeDialog } from '../identity/tokens/revoke-dialog.tsx'
import { Expiry, LastUse } from '../identity/tokens/token-life.tsx'
import { scopeOf } from '../identity/tokens/token-rows.tsx'
import { NewOrgTokenDialog } from './new-org-token-dialog.tsx'
import { OrgLayout } from './org-layout.tsx'
import styles from './rows.module.css'
import { revokeToken, tokensOf } from './token-list.ts'

export function OrgTokensPage() {
  const [creating, setCreating] = useState(false)
  return (
    <OrgLayout
      tab="Tokens"
      actions={org =>
        may(org.role, 'POST /orgs/:name/tokens') && (
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            New token
          </Button>
        )
      }
    >
      {org => (
        <>
          <OrgTokens org={org.name} />
          {creating && <NewOrgTokenDialog org={org} onClose={() => setCreating(false)} />}
        </>
      )}
    </OrgLayout>
  )
}

function OrgTokens({ org }: { org: string }) {
  const list = tokensOf(org)
  const [revoking, setRevoking] = useState<OrgToken>()
  return (
    <section aria-label="Tokens of the organization">
      <Loaded resource={list.use()} rows={3} label="Loading tokens">
        {page => (
          <>
            {page.rows.length > 0 && <TokenRows tokens={page.rows} onRevoke={setRevoking} />}
            {page.rows.length === 0 && (
              <Empty>
                No tokens yet. A token of the organization is for CI. It keeps working when the person who
                created it leaves. A deploy token can deploy, and nothing else.
              </Empty>
            )}
            <MoreButton list={list} shown={page} />
          </>
        )}
      </Loaded>
      {revoking && (
        <RevokeDialog
          token={revoking}
          revoke={() => revokeToken(org, revoking)}
          consequence="is refused from now on. You can't undo this."
          onClose={() => setRevoking(undefined)}
        />
      )}
    </section>
  )
}

function TokenRows({ tokens, onRevoke }: { tokens: OrgToken[]; onRevoke: (token: OrgToken) => void }) {
  return (
    <Rows columns="minmax(0, 1fr) 16rem 7rem 5.5rem" end="side">
      {tokens.map(token => (
        <Row key={token.id}>
          <div className={styles.name}>
            <p>{token.label || 'Without a label'}</p>
            <p className={styles.id}>{token.id}</p>
          </div>
          <p className={styles.soft}>
            Created <TimeAgo at={token.created_at} />
            {token.created_by && ` by ${token.created_by}`}
            <br />
            <LastUse token={token} />
            {token.expires_at && ' · '}
            {token.expires_at && <Expiry token={token} />}
          </p>
          <p className={styles.middle}>{scopeOf(token)}</p>
          <div>
            <Button size="small" aria-label={`Revoke ${nameOf(token)}`} onClick={() => onRevoke(token)}>
              Revoke
            </Button>
          </div>
        </Row>
      ))}
    </Rows>
  )
}
