// Which statements of a database took the most time.
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import text from '../../components/row-text.module.css'
import { Row, Rows } from '../../components/rows.tsx'
import { Section } from '../../components/section.tsx'
import { formatCount, formatDuration } from '../../format.ts'
import { useSlowStatements } from './databases.ts'
import styles from './running-queries.module.css'

export function SlowStatements({ project }: { project: string }) {
  return (
    <Section
      title="Slow queries"
      lead="The statements that took the most time in total. Values and comments are left out."
    >
      <Loaded resource={useSlowStatements(project)} rows={2} label="Loading slow queries">
        {({ statements, remedy }) =>
          statements.length === 0 ? (
            <Empty>
              <p>
                {remedy ?? 'No statement has been counted yet. The slowest show here once there are some.'}
              </p>
            </Empty>
          ) : (
            <Rows columns="minmax(0, 1fr) 9rem 9rem" label="Slow queries">
              {statements.map(({ query, total_ms, mean_ms, calls, rows, share }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: statements have no name
                <Row key={at}>
                  <code className={styles.query}>{query}</code>
                  <span className={text.soft}>
                    {time(total_ms)} in total, {Math.round(share * 100)} %
                  </span>
                  <span className={text.soft}>
                    {formatCount(calls, 'call')}, {time(mean_ms)} each, {formatCount(rows, 'row')}
                  </span>
                </Row>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  )
}

const time = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : formatDuration(ms))
