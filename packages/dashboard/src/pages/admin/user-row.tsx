import type { AdminUser } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { PersonAvatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Row } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatCount, formatDay } from '../../format.ts'
import { useLogin } from '../../session.ts'
import rows from '../orgs/rows.module.css'
import styles from './admin.module.css'
import type { UserChange } from './admin-users.ts'

interface UserRowProps {
  user: AdminUser
  onChange: (change: UserChange) => void
  onLimits: () => void
}

export function UserRow({ user, onChange, onLimits }: UserRowProps) {
  const { login, email, admin, disabled_at, delete_at, projects, orgs, stored_bytes } = user
  const isMe = useLogin() === login
  return (
    <Row>
      <div className={rows.who}>
        <PersonAvatar login={login} size={28} />
        <p className={rows.name}>
          {login} {isMe && <Tag>you</Tag>} {admin && <Tag>Platform admin</Tag>}
          {disabled_at && <span className={styles.disabled}>Disabled</span>}
          {delete_at && <span className={styles.disabled}>Deleted on {formatDay(delete_at)}</span>}
          {email && <span className={styles.email}>{email}</span>}
        </p>
      </div>
      <p className={styles.soft}>
        {formatCount(projects, 'project')}, {formatCount(orgs, 'org')}, {formatBytes(stored_bytes)}
        <span className={styles.since}>
          <Activity user={user} />
        </span>
        <span className={styles.since}>{secondFactorOf(user)}</span>
      </p>
      <div className={styles.actions}>
        <Button size="small" aria-label={`Limits of ${login}`} onClick={onLimits}>
          Limits
        </Button>
        <Button
          size="small"
          aria-label={`${admin ? 'Remove admin' : 'Make admin'}: ${login}`}
          onClick={() => onChange(admin ? 'remove admin' : 'make admin')}
        >
          {admin ? 'Remove admin' : 'Make admin'}
        </Button>
        <Button
          size="small"
          aria-label={`${disabled_at ? 'Enable' : 'Disable'} ${login}`}
          onClick={() => onChange(disabled_at ? 'enable' : 'disable')}
        >
          {disabled_at ? 'Enable' : 'Disable'}
        </Button>
        <Button
          size="small"
          aria-label={`${delete_at ? 'Keep' : 'Delete'} ${login}`}
          onClick={() => onChange(delete_at ? 'keep' : 'delete')}
        >
          {delete_at ? 'Keep' : 'Delete'}
        </Button>
      </div>
    </Row>
  )
}

function secondFactorOf({ totp, passkeys }: AdminUser): string {
  const factors = [
    ...(totp ? ['authenticator app'] : []),
    ...(passkeys > 0 ? [formatCount(passkeys, 'passkey')] : []),
  ]
  return factors.length === 0 ? 'No second factor' : `Second factor: ${factors.join(', ')}`
}

function Activity({ user: { disabled_at, last_used_at } }: { user: AdminUser }) {
  if (disabled_at)
    return (
      <>
        Disabled <TimeAgo at={disabled_at} />
      </>
    )
  if (!last_used_at) return 'Never active'
  return (
    <>
      Active <TimeAgo at={last_used_at} />
    </>
  )
}
