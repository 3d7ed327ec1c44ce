import type { ListedProject } from '@svc/contract'
import { IconButton } from '../../components/button.tsx'
import { star } from './list.ts'
import styles from './star-button.module.css'

export function StarButton({ project: { name, starred } }: { project: ListedProject }) {
  return (
    <IconButton
      size="small"
      icon="star"
      label={starred ? `Remove the star from ${name}` : `Star ${name}`}
      aria-pressed={starred}
      className={starred ? `${styles.star} ${styles.starred}` : styles.star}
      onClick={() => void star(name, !starred)}
    />
  )
}
