// Audit logs as JSON lines, newest first. Entries are read in small pages, on a connection that holds up no requests.

import { auditOfAll, listAudit } from '../../store/platform/audit.ts'
import type { Store } from '../../store/store.ts'
import { describeEntry } from './audit.ts'

const rowsAtOnce = 200

/** The log of an org. */
export async function* exportOrgAudit(
  { aside }: Pick<Store, 'aside'>,
  orgId: string,
): AsyncGenerator<string> {
  let cursor: string | undefined
  do {
    const page = await listAudit(aside, { orgId }, { limit: rowsAtOnce, cursor })
    yield page.rows.map(row => lineOf(describeEntry(row))).join('')
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

/** The logs of all projects, orgs and accounts. */
export async function* exportAllAudit(
  { aside }: Pick<Store, 'aside'>,
  since: string | undefined,
): AsyncGenerator<string> {
  const from = since === undefined ? 0 : Date.parse(since)
  let after: string | undefined
  do {
    const rows: Awaited<ReturnType<typeof auditOfAll>> = await auditOfAll(aside, {
      after,
      since: from,
      limit: rowsAtOnce,
    })
    yield rows.map(row => lineOf({ id: row.id, org: row.org_name, ...describeEntry(row) })).join('')
    after = rows.length === rowsAtOnce ? rows.at(-1)?.id : undefined
  } while (after !== undefined)
}

const lineOf = (entry: object): string => `${JSON.stringify(entry)}\n`
