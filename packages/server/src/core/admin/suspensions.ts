// The operator suspends a project or an account, and resumes it. Nothing is deleted.
import type { AdminSuspension, Suspension } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import type { PageRequest } from '../../lib/page.ts'
import { findAccountByLogin, lockAccount } from '../../store/identity/accounts.ts'
import { lockProject } from '../../store/projects/projects.ts'
import {
  deleteSuspension,
  findAnyProject,
  listSuspensions,
  projectsOwnedBy,
  saveSuspension,
  suspendForDeletion,
} from '../../store/projects/suspensions.ts'
import type { Tx } from '../../store/store.ts'
import { type Actor, audit } from '../base/audit.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import { deletionNotice, describeSuspension } from '../base/suspension.ts'
import { takeOffline } from '../base/take-offline.ts'
import { noteSecurityEvent } from '../identity/security-events.ts'

type By = Actor | { ip: string }
type Kind = AdminSuspension['kind']
interface Sentence {
  status?: Suspension['status'] | undefined
  reason: string
}

/** What is suspended, and the projects whose sites change with it. */
interface Subject {
  id: string
  projects: { id: string; name: string; org_id: string | null }[]
  /** The account waits for its deletion: its sites stay offline when the operator resumes it. */
  isDeleted: boolean
  /** Writes the entry of the audit log. */
  note(action: 'suspend' | 'resume', details: Record<string, string | number>): Promise<unknown>
}

const subjects: Record<Kind, (platform: Rows, tx: Tx, name: string, by: By) => Promise<Subject>> = {
  async project(platform, tx, name, by) {
    const project = await findAnyProject(tx, name)
    if (!project) throw new Fault('not_found', `There is no project '${name.slice(0, 60)}'.`)
    return {
      id: project.id,
      projects: [project],
      isDeleted: false,
      note: (verb, details) =>
        audit(platform, tx, by, { action: `project.${verb}`, project, target: project.name, details }),
    }
  },
  async account(platform, tx, login, by) {
    const account = await findAccountByLogin(tx, login.toLowerCase())
    if (!account) throw new Fault('not_found', `There is no account '${login.slice(0, 60)}'.`)
    // Held, so that no project is created meanwhile whose edge would not hear of it.
    await lockAccount(tx, account.id)
    return {
      id: account.id,
      projects: await projectsOwnedBy(tx, [account.id]),
      isDeleted: account.delete_at !== null,
      note: (verb, details) =>
        noteSecurityEvent(platform, tx, { action: `account.${verb}`, account, by, details }),
    }
  },
}

/** Another suspension of the same project or account replaces the first. */
export async function suspend(
  platform: Rows,
  by: By,
  kind: Kind,
  name: string,
  { status = 503, reason }: Sentence,
): Promise<Suspension> {
  const created_at = platform.clock.now()
  return await platform.store.transact(async (tx, changed) => {
    const { id, projects, note } = await subjects[kind](platform, tx, name, by)
    const row = { id, kind, status, reason, created_at }
    await saveSuspension(tx, row)
    await note('suspend', { status, reason })
    const end = { now: created_at, error: `The operator suspended the ${kind}.` }
    await takeOffline(tx, changed, projects, end)
    return describeSuspension(row)
  })
}

export async function resume(platform: Rows, by: By, kind: Kind, name: string): Promise<void> {
  await platform.store.transact(async (tx, changed) => {
    const { id, projects, isDeleted, note } = await subjects[kind](platform, tx, name, by)
    for (const project of projects) await lockProject(tx, project.id)
    if (!(await deleteSuspension(tx, id)))
      throw new Fault('not_found', `The ${kind} '${name.slice(0, 60)}' is not suspended.`)
    if (isDeleted) await suspendForDeletion(tx, [id], { ...deletionNotice, created_at: platform.clock.now() })
    await note('resume', {})
    for (const project of projects) await siteChanged(tx, changed, project)
  })
}

/** Newest first. */
export async function suspensions(
  { store }: Pick<Platform, 'store'>,
  page: PageRequest,
): Promise<{ suspensions: AdminSuspension[]; next_cursor: string | null }> {
  const { rows, next_cursor } = await listSuspensions(store.db, page)
  const described = rows.map(row => ({
    ...describeSuspension(row),
    kind: row.kind === 'project' ? ('project' as const) : ('account' as const),
    name: row.name ?? row.id,
  }))
  return { suspensions: described, next_cursor }
}
