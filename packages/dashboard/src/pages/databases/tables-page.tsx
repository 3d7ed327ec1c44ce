// The tables of a project's database, and the rows of the one that the query of the URL names.
import type { DatabaseTable } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { useSearch } from 'wouter'
import { BackLink } from '../../components/back-link.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import text from '../../components/row-text.module.css'
import { Row, RowLink, Rows } from '../../components/rows.tsx'
import { Section } from '../../components/section.tsx'
import { formatCount } from '../../format.ts'
import { useOrgs } from '../../orgs.ts'
import { href } from '../../paths.ts'
import { mayDo } from '../projects/project/owners.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import { useTables } from './databases.ts'
import { tableHref } from './table-href.ts'
import { TableRowsSection } from './table-rows.tsx'

export function TablesPage() {
  const { data: orgs } = useOrgs()
  const asked = new URLSearchParams(useSearch())
  const table = asked.get('table')
  return (
    <ProjectLayout tab="Storage" about="Tables">
      {project => {
        if (mayDo(project, orgs, 'GET /projects/:name/database/tables') === false)
          return (
            <Empty>
              <p>Only admins of the project see what its database holds.</p>
            </Empty>
          )
        if (table === null) return <Tables project={project.name} />
        const at = { project: project.name, schema: asked.get('schema') ?? 'public', table }
        return <TableRowsSection key={tableHref(at)} at={at} offset={Number(asked.get('skip')) || 0} />
      }}
    </ProjectLayout>
  )
}

function Tables({ project }: { project: string }) {
  return (
    <Section
      title="Tables"
      lead="What the database of production holds. Here you can look, and change nothing."
      above={<BackLink href={href('/projects/:name/storage', { name: project })}>Storage</BackLink>}
    >
      <Loaded resource={useTables(project)} rows={4} label="Loading the tables">
        {({ tables, more }) =>
          tables.length === 0 ? (
            <Empty>
              <p>No tables yet. The release command of the app can make them, or svc db shell.</p>
            </Empty>
          ) : (
            <>
              <Rows columns="minmax(0, 1fr) 9rem 8rem 6rem" label="Tables">
                {tables.map(table => (
                  <TableRow
                    key={JSON.stringify([table.schema, table.name])}
                    project={project}
                    table={table}
                  />
                ))}
              </Rows>
              {more && <p className={text.soft}>The database has more tables than these.</p>}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function TableRow({ project, table }: { project: string; table: DatabaseTable }) {
  const { schema, name, kind, rows, bytes } = table
  return (
    <Row opens>
      <RowLink href={tableHref({ project, schema, table: name })}>
        {schema === 'public' ? name : `${schema}.${name}`}
      </RowLink>
      <span className={text.soft}>{kind === 'table' ? '' : kind}</span>
      <span className={text.soft}>{rows === null ? '' : `About ${formatCount(rows, 'row')}`}</span>
      <span className={text.soft}>{bytes === null ? '' : formatBytes(bytes)}</span>
    </Row>
  )
}
