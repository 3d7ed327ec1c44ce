import type { Share } from '@svc/contract'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { TimeAgo, useNow } from '../../components/time-ago.tsx'
import { bareUrl, formatMoment } from '../../format.ts'
import styles from './share-rows.module.css'
import { timeLeft } from './time-left.ts'

function Row({ share, onDelete }: { share: Share; onDelete: () => void }) {
  const { name, url, created_at, expires_at } = share
  return (
    <li className={styles.row}>
      <p className={styles.address}>
        <a href={url} target="_blank" rel="noreferrer">
          {bareUrl(url)}
        </a>
        <CopyButton text={url} label={`Copy the link of ${name}`} />
      </p>
      <p className={styles.created}>
        Shared <TimeAgo at={created_at} />
      </p>
      <p className={styles.left}>
        <time dateTime={expires_at} data-tip={formatMoment(expires_at)}>
          {timeLeft(expires_at, useNow())}
        </time>
      </p>
      <Button size="small" aria-label={`Delete ${name}`} onClick={onDelete}>
        Delete
      </Button>
    </li>
  )
}

export function ShareRows({ shares, onDelete }: { shares: Share[]; onDelete: (share: Share) => void }) {
  return (
    <ul className={styles.rows}>
      {shares.map(share => (
        <Row key={share.name} share={share} onDelete={() => onDelete(share)} />
      ))}
    </ul>
  )
}
