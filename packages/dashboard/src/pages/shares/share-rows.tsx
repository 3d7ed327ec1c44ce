import type { Share } from '@svc/contract'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { TimeAgo, useNow } from '../../components/time-ago.tsx'
import { bareUrl, formatMoment } from '../../format.ts'
import styles from './share-rows.module.css'
import { timeLeft } from './time-left.ts'

function ShareRow({ share, onDelete }: { share: Share; onDelete: () => void }) {
  const { name, url, created_at, expires_at } = share
  return (
    <Row>
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
    </Row>
  )
}

export function ShareRows({ shares, onDelete }: { shares: Share[]; onDelete: (share: Share) => void }) {
  return (
    <Rows columns="minmax(0, 1fr) 10rem 8rem auto" end="side">
      {shares.map(share => (
        <ShareRow key={share.name} share={share} onDelete={() => onDelete(share)} />
      ))}
    </Rows>
  )
}
