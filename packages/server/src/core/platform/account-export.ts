// The data of an account as JSON lines: what its deletion deletes, without files, secrets and statistics. Rows are read in
// small pages, so an export of any size takes little memory.
import type { PageRequest } from '../../lib/page.ts'
import { orgsOf } from '../../store/identity/account-deletion.ts'
import { findProjectWithOrg } from '../../store/projects/projects.ts'
import { projectsOwnedBy } from '../../store/projects/suspensions.ts'
import { auditLog } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows, Vault } from '../base/platform.ts'
import { listInvoices } from '../billing/invoices/list.ts'
import { cronsOf } from '../crons/crons.ts'
import { deploymentHistory } from '../deployments/history.ts'
import { listEnv } from '../env/env.ts'
import { formsOf, submissionsOf } from '../forms/forms.ts'
import { passkeysOf } from '../identity/passkeys.ts'
import { ownTokens } from '../identity/tokens.ts'
import { targetsOf } from '../notifications/targets.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { projectDetail } from '../projects/projects.ts'
import { ownShares } from '../shares/shares.ts'

export type ExportParts = Rows &
  Vault &
  Pick<Platform, 'dns' | 'dnsTarget' | 'domainProof' | 'mailer' | 'nodeId' | 'signups' | 'tokenUses' | 'urls'>

const rowsAtOnce = 50

type Line = { kind: string } & object
type Lines = AsyncGenerator<Line>

/** Its last line says that it is complete. */
export async function* exportAccount(platform: ExportParts, caller: Caller): AsyncGenerator<string> {
  for await (const line of linesOf(platform, caller)) yield `${JSON.stringify(line)}\n`
  yield `${JSON.stringify({ kind: 'end' })}\n`
}

async function* linesOf(platform: ExportParts, caller: Caller): Lines {
  const { db } = platform.store
  const { id } = caller.account
  const { token_kind: _, ...account } = caller.me
  yield { kind: 'account', ...account }
  yield* each('passkey', await passkeysOf(platform, id))
  yield* eachOf('token', page => pageAs(ownTokens(platform, caller, page), 'tokens'))
  const orgs = await orgsOf(db, id)
  yield* each('org', orgs)
  yield* eachOf('share', page => pageAs(ownShares(platform, caller, page), 'shares'))
  const owners = [{ accountId: id }, ...orgs.flatMap(org => (org.members === 1 ? { orgId: org.id } : []))]
  for (const owner of owners) {
    const ownerId = 'orgId' in owner ? owner.orgId : id
    for (const { id: projectId } of await projectsOwnedBy(db, [ownerId])) {
      const project = await findProjectWithOrg(db, projectId)
      if (project?.expires_at === null) yield* ofProject(platform, { ...project, role: 'owner' })
    }
    yield* each('invoice', await listInvoices(db, ownerId))
    yield* eachOf('audit', page => pageAs(auditLog(platform, owner, page), 'entries'))
  }
}

async function* ofProject(platform: ExportParts, project: ProjectScope): Lines {
  const { name } = project
  const { deployments: _, ...detail } = await projectDetail(platform, project)
  yield lineOf('project', detail)
  const within = { project: name }
  yield* each('env', await listEnv(platform, project), within)
  yield* each('cron', await cronsOf(platform, project), within)
  yield* each('notification', await targetsOf(platform, { project }), within)
  yield* eachOf(
    'deployment',
    page => pageAs(deploymentHistory(platform, project, {}, page), 'deployments'),
    within,
  )
  for (const form of await formsOf(platform, project)) {
    yield { kind: 'form', ...within, ...form }
    for (const show of ['all', 'spam'] as const)
      yield* eachOf(
        'submission',
        page => pageAs(submissionsOf(platform, project, form.name, { ...page, show }), 'submissions'),
        { ...within, form: form.name },
      )
  }
  // The log of an org has the entries of its projects.
  if (project.org_id === null)
    yield* eachOf(
      'audit',
      page => pageAs(auditLog(platform, { projectId: project.id }, page), 'entries'),
      within,
    )
}

interface Page<R> {
  rows: readonly R[]
  next_cursor: string | null
}

/** A page whose rows have another name. */
async function pageAs<K extends string, R>(
  page: Promise<{ next_cursor: string | null } & { [N in K]: readonly R[] }>,
  name: K,
): Promise<Page<R>> {
  const read = await page
  return { rows: read[name], next_cursor: read.next_cursor }
}

async function* pagesOf<R>(read: (page: PageRequest) => Promise<Page<R>>): AsyncGenerator<R> {
  let cursor: string | undefined
  do {
    const page = await read({ limit: rowsAtOnce, cursor })
    yield* page.rows
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

async function* eachOf(
  kind: string,
  read: (page: PageRequest) => Promise<Page<object>>,
  within: object = {},
): Lines {
  for await (const row of pagesOf(read)) yield lineOf(kind, row, within)
}

function* each(kind: string, rows: readonly object[], within: object = {}): Generator<Line> {
  for (const row of rows) yield lineOf(kind, row, within)
}

/** A row that has a `kind` of its own, such as a token, says it as `type`. */
const lineOf = (kind: string, row: object, within: object = {}): Line => ({
  ...within,
  ...row,
  ...('kind' in row && { type: row.kind }),
  kind,
})
