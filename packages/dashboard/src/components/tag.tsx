// A word or two about what stands before it, such as "Primary" behind a domain.
import styles from './tag.module.css'

export const Tag = ({ tone, children }: { tone?: 'blue' | 'violet' | undefined; children: string }) => (
  <span className={styles.tag} data-tone={tone}>
    {children}
  </span>
)
