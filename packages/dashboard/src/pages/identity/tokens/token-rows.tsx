import type { OwnToken, Token, TokenKind } from '@svc/contract'
import { Button } from '../../../components/button.tsx'
import { Row, Rows } from '../../../components/rows.tsx'
import { Tag } from '../../../components/tag.tsx'
import { TimeAgo, useNow } from '../../../components/time-ago.tsx'
import { nameOf } from './revoke-dialog.tsx'
import { Expiry, isExpired, LastUse } from './token-life.tsx'
import styles from './token-rows.module.css'

const kinds: Record<TokenKind, string> = {
  cli: 'Full access',
  ai: 'AI gateway',
  deploy: 'Deploy only',
}

/** What a token can do, and where. */
export const scopeOf = ({ kind, project }: Pick<Token, 'kind' | 'project'>): string => {
  if (!project) return kinds[kind]
  return kind === 'deploy' ? `Deploy only, ${project}` : `Only ${project}`
}

export function TokenRows({ tokens, onRevoke }: { tokens: OwnToken[]; onRevoke: (token: OwnToken) => void }) {
  const now = useNow()
  const hasEnded = (token: OwnToken) => token.revoked_at !== null || isExpired(token, now)
  return (
    <Rows columns="minmax(0, 1fr) 9rem 11rem 9.5rem 9rem" end="side">
      {tokens.map(token => (
        <Row key={token.id} data-state={hasEnded(token) ? 'ended' : undefined}>
          <div>
            <p className={styles.label}>
              {token.label || 'Without a label'} {token.current && <Tag>This browser</Tag>}
            </p>
            <p className={styles.id}>{token.id}</p>
          </div>
          <p className={styles.kind}>{scopeOf(token)}</p>
          <p className={styles.when}>
            <LastUse token={token} />
            <br />
            Created <TimeAgo at={token.created_at} />
          </p>
          <p className={styles.when}>{!token.revoked_at && <Expiry token={token} />}</p>
          {token.revoked_at ? (
            <p className={styles.when}>
              Revoked <TimeAgo at={token.revoked_at} />
            </p>
          ) : (
            <Button size="small" aria-label={`Revoke ${nameOf(token)}`} onClick={() => onRevoke(token)}>
              Revoke
            </Button>
          )}
        </Row>
      ))}
    </Rows>
  )
}
