import type { Token, TokenKind } from '@svc/contract'
import { Button } from '../../components/button.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { nameOf } from './revoke-dialog.tsx'
import styles from './token-rows.module.css'

export const kinds: Record<TokenKind, string> = {
  cli: 'Full access',
  ai: 'AI gateway',
  deploy: 'Deploy only',
}

export function TokenRows({ tokens, onRevoke }: { tokens: Token[]; onRevoke: (token: Token) => void }) {
  return (
    <ul className={styles.rows}>
      {tokens.map(token => (
        <li key={token.id} className={styles.row} data-revoked={token.revoked_at ? '' : undefined}>
          <div>
            <p className={styles.label}>{token.label || 'Without a label'}</p>
            <p className={styles.id}>{token.id}</p>
          </div>
          <p className={styles.kind}>{kinds[token.kind]}</p>
          <p className={styles.when}>
            Created <TimeAgo at={token.created_at} />
          </p>
          {token.revoked_at ? (
            <p className={styles.when}>
              Revoked <TimeAgo at={token.revoked_at} />
            </p>
          ) : (
            <Button size="small" aria-label={`Revoke ${nameOf(token)}`} onClick={() => onRevoke(token)}>
              Revoke
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
