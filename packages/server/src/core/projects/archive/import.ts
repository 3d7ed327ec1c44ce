// Makes a project of an archive: its deployments with their files, which of them is live, its settings and variables.
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../../lib/fault.ts'
import { newId } from '../../../lib/ids.ts'
import type { PackSink } from '../../../ports/packs/port.ts'
import { savePreviewAccess } from '../../../store/access/previews.ts'
import { bytesPerDeployment, type Owner } from '../../../store/billing/plan-usage.ts'
import { insertCron } from '../../../store/crons/crons.ts'
import { insertProductionLock } from '../../../store/deployments/production-locks.ts'
import { insertDeployment } from '../../../store/deployments/uploads.ts'
import { saveEnvRow } from '../../../store/env/env.ts'
import { insertForm } from '../../../store/forms/forms.ts'
import { keepImported, placeImported } from '../../../store/projects/imported.ts'
import { saveProjectNode } from '../../../store/projects/nodes.ts'
import { insertProject, lockProject } from '../../../store/projects/projects.ts'
import { saveRetention } from '../../../store/projects/retention.ts'
import type { Tx } from '../../../store/store.ts'
import type { ProjectRow } from '../../../store/tables.ts'
import { audit } from '../../base/audit.ts'
import { enqueue } from '../../base/jobs.ts'
import { branchSlug } from '../../base/labels.ts'
import { checkName, nameTaken, requireFreeName } from '../../base/names.ts'
import type { PlanSettings, Platform, Rows, Vault } from '../../base/platform.ts'
import { siteChanged } from '../../base/site-changes.ts'
import { newCron } from '../../crons/crons.ts'
import { checkForeignPack } from '../../deployments/archive/foreign-pack.ts'
import { type Command, encodeCommand } from '../../deployments/detection.ts'
import { requireDisk, requireStorage } from '../../deployments/storage-room.ts'
import { placeOf } from '../../env/values.ts'
import { makeRoom } from '../projects.ts'
import { removeProject } from '../removal.ts'
import { requireDomainRoom } from '../transfer.ts'
import { attachArchived, type DomainParts } from './domains.ts'
import type { ArchivedDeployment, ProjectDescription } from './shape.ts'

type ImportParts = PlanSettings &
  Rows &
  Vault &
  DomainParts &
  Pick<Platform, 'disk' | 'nodeId' | 'packs' | 'reservedNames'>

interface Archive {
  description: ProjectDescription
  /** Writes the pack of each deployment to the sink that `create` makes for its id. */
  readPacks(create: (id: string) => Promise<PackSink>): Promise<void>
}

export async function importProject(
  platform: ImportParts,
  owner: Owner,
  name: string,
  { description, readPacks }: Archive,
): Promise<{ leftOut: string[] }> {
  const project = await reserve(platform, owner, name, description)
  try {
    const placed = new Placed(platform, project, description.deployments)
    await readPacks(id => placed.create(id))
    return { leftOut: await settle(platform, project, description, placed) }
  } catch (error) {
    // If this fails, too, the sweep deletes the project later.
    await removeProject(platform, project).catch(() => undefined)
    throw error
  }
}

/** Takes the name. Nobody can see the project before it is complete. */
async function reserve(
  platform: ImportParts,
  owner: Owner,
  name: string,
  { access }: ProjectDescription,
): Promise<ProjectRow> {
  checkName(platform, name)
  if (owner.org_id === null && (access.mode === 'org' || access.previews?.mode === 'org'))
    throw new Fault(
      'access_mode_conflict',
      'Only members of its org may see the site or its previews. Give it to an org: --owner <org>.',
    )
  const now = platform.clock.now()
  const row: ProjectRow = {
    ...{ id: newId('prj'), name, account_id: owner.account_id, org_id: owner.org_id },
    ...{ active_deployment_id: null, expires_at: now + dayMs, created_at: now, active_at: null },
    ...{ access_mode: access.mode, password_hash: access.password_hash, access_generation: 0 },
  }
  await platform.store.transact(async tx => {
    await makeRoom(platform, tx, row)
    await requireFreeName(tx, name, now)
    if (!(await insertProject(tx, row))) throw nameTaken(name)
  })
  return row
}

/** The deployments of the archive on their way into the project. Each is an upload until its files are here and checked. */
class Placed {
  readonly #platform: ImportParts
  readonly #project: ProjectRow
  readonly #waiting: Map<string, ArchivedDeployment>
  /** The ids that they got. */
  readonly ids: string[] = []
  live: string | null = null

  constructor(platform: ImportParts, project: ProjectRow, deployments: readonly ArchivedDeployment[]) {
    this.#platform = platform
    this.#project = project
    this.#waiting = new Map(deployments.map(deployment => [deployment.id, deployment]))
  }

  get missing(): number {
    return this.#waiting.size
  }

  async create(archivedId: string): Promise<PackSink> {
    const archived = this.#waiting.get(archivedId)
    if (!archived) throw incomplete(`it has files of an unknown deployment`)
    this.#waiting.delete(archivedId)
    await requireDisk(this.#platform)
    const { store, nodeId, clock, packs } = this.#platform
    const row = rowOf(archived, this.#project)
    // The record comes before the files, so that they are never files without a record.
    const upload = { ...row, node_id: nodeId, status: 'uploading' as const, created_at: clock.now() }
    if (!(await insertDeployment(store.db, upload))) throw interrupted()
    const sink = await packs.create(row.id)
    return {
      write: bytes => sink.write(bytes),
      abort: () => sink.abort(),
      commit: async () => {
        await sink.commit()
        await this.#place(row, archived)
      },
    }
  }

  async #place(row: ReturnType<typeof rowOf>, archived: ArchivedDeployment): Promise<void> {
    const { store, packs } = this.#platform
    const source = await packs.open(row.id)
    if (!source) throw interrupted()
    const found = await checkForeignPack(source, archived).finally(() => source.close())
    const facts = { file_count: found.fileCount, size_bytes: found.sizeBytes }
    if (!(await store.transact(tx => placeImported(tx, { ...row, ...facts })))) throw interrupted()
    this.ids.push(row.id)
    if (row.status === 'live') this.live = row.id
  }
}

const rowOf = (archived: ArchivedDeployment, project: ProjectRow) => {
  const { at_branch, from_fork, warnings, start_command, git_branch, ...same } = archived
  return {
    ...same,
    id: newId('dep'),
    project_id: project.id,
    git_branch,
    branch_slug: at_branch && git_branch !== null ? branchSlug(git_branch, project.name) : null,
    from_fork: from_fork ? 1 : 0,
    warnings: JSON.stringify(warnings),
    start_command: start_command && encodeCommand(start_command as unknown as Command),
    file_count: null,
    size_bytes: null,
    created_by: null,
    error: null,
    parts_until: null,
    image: null,
    seed_command: null,
  }
}

/** One transaction shows the project. Returns the domains that it did not get. */
async function settle(
  platform: ImportParts,
  project: ProjectRow,
  description: ProjectDescription,
  placed: Placed,
): Promise<string[]> {
  if (placed.missing > 0) throw incomplete(`the files of ${placed.missing} deployments are missing`)
  const now = platform.clock.now()
  return await platform.store.transact(async (tx, changed) => {
    await makeRoom(platform, tx, project)
    await requireDomainRoom(platform, tx, project, description.domains.length)
    // The deployments count already.
    await requireStorage(platform, tx, project, -bytesPerDeployment)
    if (!(await lockProject(tx, project.id))) throw interrupted()
    await saveSettings(platform, tx, project.id, description)
    const leftOut = await attachArchived(platform, tx, changed, project, description.domains)
    const final = { active_deployment_id: placed.live, created_at: description.created_at, now }
    if (!(await keepImported(tx, project.id, final))) throw interrupted()
    for (const id of placed.ids) await enqueue(tx, 'compress', { id }, { now })
    const details = { imported: placed.ids.length }
    await audit(
      platform,
      tx,
      { ip: '' },
      { action: 'project.create', project, target: project.name, details },
    )
    await siteChanged(tx, changed, project)
    await changed({ topic: 'workspace', key: project.org_id ?? project.account_id ?? '' })
    return leftOut
  })
}

async function saveSettings(
  { keyring, clock }: Pick<ImportParts, 'keyring' | 'clock'>,
  tx: Tx,
  projectId: string,
  { access, retention, node, env, forms, crons, production_locked_at }: ProjectDescription,
): Promise<void> {
  const now = clock.now()
  if (access.previews) await savePreviewAccess(tx, { project_id: projectId, ...access.previews })
  await saveRetention(tx, { project_id: projectId, ...retention })
  await saveProjectNode(tx, projectId, node)
  for (const { value, secret, ...variable } of env) {
    const row = { project_id: projectId, ...variable, secret: secret ? 1 : 0 }
    await saveEnvRow(tx, { ...row, ...keyring.current.seal(value, placeOf(row)) })
  }
  const empty = { project_id: projectId, created_at: now, stored_bytes: 0, trapped: 0 }
  for (const form of forms) await insertForm(tx, { ...empty, ...form })
  for (const cron of crons) await insertCron(tx, newCron(projectId, cron, now))
  if (production_locked_at !== null)
    await insertProductionLock(tx, {
      project_id: projectId,
      locked_at: production_locked_at,
      locked_by: null,
    })
}

const incomplete = (why: string): Fault =>
  new Fault('invalid_archive', `The archive is not complete: ${why}. Nothing was imported.`)

const interrupted = (): Fault =>
  new Fault('unavailable', 'svcd was started or the import took too long. Nothing was imported: try again.')
