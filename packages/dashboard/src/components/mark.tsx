import styles from './mark.module.css'

/** The logo of the platform. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className={styles.mark}>
      <rect width="32" height="32" rx="8" />
      <path d="M8.5 17.5 16 10l7.5 7.5M11 23h10" />
    </svg>
  )
}
