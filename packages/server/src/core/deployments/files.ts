// The files of a deployment, and how they differ from those of another one.
import type { DeploymentFiles, FileChange } from '@svc/contract'
import { linksPath } from '@svc/contract/site'
import { Fault } from '../../lib/fault.ts'
import type { PackFile } from '../../ports/packs/pack-index.ts'
import { PackReader } from '../../ports/packs/pack-reader.ts'
import { findDeployment } from '../../store/deployments/deployments.ts'
import type { ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Platform } from '../base/platform.ts'
import { noSuchDeployment } from './faults.ts'

interface FilesRequest {
  since?: string | undefined
  limit: number
  cursor?: string | undefined
}

type FileRow = DeploymentFiles['files'][number]

export async function deploymentFiles(
  platform: Pick<Platform, 'packs' | 'store'>,
  project: ProjectWithOrg,
  id: string,
  { since, limit, cursor }: FilesRequest,
): Promise<DeploymentFiles> {
  const files = await indexOf(platform, project, id)
  const rows =
    since === undefined ? unchanged(files) : differences(await indexOf(platform, project, since), files)
  const after = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString()
  const rest = rows.filter(row => row.path > after)
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  return {
    files: page,
    next_cursor: rest.length > limit && last ? Buffer.from(last.path).toString('base64url') : null,
    changes: since === undefined ? null : countChanges(rows),
  }
}

type Index = Map<string, PackFile>

/** All files by their path. A failed deployment has none. */
async function indexOf(
  platform: Pick<Platform, 'packs' | 'store'>,
  project: ProjectWithOrg,
  id: string,
): Promise<Index> {
  const row = await findDeployment(platform.store.db, project.id, id)
  if (!row) throw noSuchDeployment(id)
  if (row.status === 'failed' || row.status === 'uploading') return new Map()
  const reader = await PackReader.open(platform.packs, id)
  if (!reader) throw new Fault('not_found', `The files of '${id}' were deleted meanwhile.`)
  try {
    return new Map([...reader.files()].filter(file => file.path !== linksPath).map(file => [file.path, file]))
  } finally {
    await reader.close()
  }
}

const byPath = (a: FileRow, b: FileRow): number => (a.path < b.path ? -1 : 1)

const rowOf = ({ path, size }: PackFile, change: FileChange | null): FileRow => ({
  path,
  size_bytes: size,
  change,
})

const unchanged = (files: Index): FileRow[] => [...files.values()].map(file => rowOf(file, null)).sort(byPath)

function differences(before: Index, after: Index): FileRow[] {
  const rows: FileRow[] = []
  for (const file of after.values()) {
    const old = before.get(file.path)
    if (!old) rows.push(rowOf(file, 'added'))
    else if (old.sha256 !== file.sha256) rows.push(rowOf(file, 'changed'))
  }
  for (const file of before.values()) if (!after.has(file.path)) rows.push(rowOf(file, 'removed'))
  return rows.sort(byPath)
}

function countChanges(rows: FileRow[]): Record<FileChange, number> {
  const counts = { added: 0, changed: 0, removed: 0 }
  for (const { change } of rows) if (change) counts[change] += 1
  return counts
}
