import { Row, Rows } from './rows.tsx'
import styles from './skeleton.module.css'

/** Grey bars where rows will be, so that nothing jumps when they arrive. */
export function SkeletonRows({ count, label }: { count: number; label: string }) {
  return (
    <div className={styles.skeleton} role="status" data-loading>
      <span className="visually-hidden">{label}</span>
      <div aria-hidden="true">
        <Rows columns="minmax(0, 1fr) auto" end="side">
          {Array.from({ length: count }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike
            <Row key={row}>
              <span className={styles.bar} data-width={row % 2 === 0 ? 'long' : 'short'} />
              <span className={styles.bar} data-width="badge" />
            </Row>
          ))}
        </Rows>
      </div>
    </div>
  )
}
