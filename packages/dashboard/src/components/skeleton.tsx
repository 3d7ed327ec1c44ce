import styles from './skeleton.module.css'

/** Grey bars where rows will be, so that nothing jumps when they arrive. */
export function SkeletonRows({ count, label }: { count: number; label: string }) {
  return (
    <div className={styles.rows} role="status" data-loading>
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: count }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike
        <div key={row} className={styles.row} aria-hidden="true">
          <span className={styles.bar} data-width={row % 2 === 0 ? 'long' : 'short'} />
          <span className={styles.bar} data-width="badge" />
        </div>
      ))}
    </div>
  )
}
