// Rows of one table, page by page.
import type { TableRows } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { limits } from '@svc/contract/limits'
import { BackLink } from '../../components/back-link.tsx'
import { LinkButton } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Section } from '../../components/section.tsx'
import { formatCount } from '../../format.ts'
import { href } from '../../paths.ts'
import { rowsPerPage, type TableAt, useRows } from './databases.ts'
import { tableHref } from './table-href.ts'
import styles from './table-rows.module.css'

export function TableRowsSection({ at, offset: asked }: { at: TableAt; offset: number }) {
  const { project, schema, table } = at
  const offset = Math.min(limits.tableOffset, Math.max(0, Math.floor(asked)))
  const resource = useRows(at, offset)
  return (
    <Section
      title={schema === 'public' ? table : `${schema}.${table}`}
      lead="Each look is in the activity log."
      above={<BackLink href={href('/projects/:name/tables', { name: project })}>All tables</BackLink>}
    >
      <Loaded resource={resource} rows={6} label="Loading the rows">
        {page =>
          page.rows.length === 0 ? (
            <Empty>
              <p>{offset > 0 ? 'No more rows.' : 'The table has no rows.'}</p>
            </Empty>
          ) : (
            <>
              <Grid page={page} label={table} />
              <Pager at={at} offset={offset} page={page} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function Grid({ page: { columns, rows }, label }: { page: TableRows; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the table scrolls, with the keyboard too
    <section className={styles.grid} aria-label={`Rows of ${label}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, type, key }) => (
              <th key={name} scope="col">
                {name}
                <span>
                  {type}
                  {key && ', key'}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={columns[column]?.name}>
                  <Value cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Value({ cell }: { cell: TableRows['rows'][number][number] }) {
  if (cell === null) return <span className={styles.missing}>null</span>
  if (cell === '') return <span className={styles.missing}>empty</span>
  if (typeof cell === 'string') return <div className={styles.value}>{cell}</div>
  return (
    <div className={styles.value}>
      {cell.start}… <span className={styles.missing}>{formatBytes(cell.bytes)}</span>
    </div>
  )
}

function Pager({ at, offset, page }: { at: TableAt; offset: number; page: TableRows }) {
  const next = offset + page.rows.length
  const isEnd = next > limits.tableOffset
  return (
    <div className={styles.pager}>
      <p>
        {page.rows.length === 1 ? `Row ${next}` : `Rows ${offset + 1} to ${next}`}
        {page.more_columns && `, the first ${formatCount(page.columns.length, 'column')}`}
        {page.more && isEnd && '. svc db shell shows those that follow'}
      </p>
      {offset > 0 && (
        <LinkButton href={tableHref(at, Math.max(0, offset - rowsPerPage))} size="small">
          Previous rows
        </LinkButton>
      )}
      {page.more && !isEnd && (
        <LinkButton href={tableHref(at, next)} size="small">
          Next rows
        </LinkButton>
      )}
    </div>
  )
}
