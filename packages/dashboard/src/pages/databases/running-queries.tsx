// What the connections of a database do now, the longest first.
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import text from '../../components/row-text.module.css'
import { Row, Rows } from '../../components/rows.tsx'
import { Section } from '../../components/section.tsx'
import { formatCount, formatDuration } from '../../format.ts'
import { useQueries } from './databases.ts'
import styles from './running-queries.module.css'

export function RunningQueries({ project }: { project: string }) {
  const resource = useQueries(project)
  const { data } = resource
  return (
    <Section
      title="Running queries"
      lead={data ? `${formatCount(data.connections, 'connection')} at the moment.` : undefined}
    >
      <Loaded resource={resource} rows={2} label="Loading running queries">
        {({ queries }) =>
          queries.length === 0 ? (
            <Empty>
              <p>No query is running. Slow ones show here while they run, the longest first.</p>
            </Empty>
          ) : (
            <Rows columns="minmax(0, 1fr) 9rem 5rem" label="Running queries">
              {queries.map(({ query, state, seconds }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: queries have no name
                <Row key={at}>
                  <code className={styles.query}>{query}</code>
                  <span className={text.soft}>{state}</span>
                  <span className={text.soft}>{formatDuration(seconds * 1000)}</span>
                </Row>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  )
}
