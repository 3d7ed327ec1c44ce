// Gives the project the disk that svc.json asks for, before the first deploy of an app that needs it.
import { formatBytes } from '@svc/contract/bytes'
import { ApiError } from '@svc/contract/client'
import { type DiskSetting, diskCommand } from '@svc/contract/site'
import { notice } from '../../output.ts'
import { connect } from '../../session.ts'

/** Returns a warning if the project has no such disk, and gets none. */
export async function ensureDisk(name: string, asked: DiskSetting): Promise<string | undefined> {
  const found = await diskOf(name)
  if (!found) return undefined
  const { disk, removed_until: until } = found
  if (disk) {
    const { size_bytes: size, path, is_shared: shared } = disk
    const isSame =
      (asked.sizeBytes ?? size) === size &&
      (asked.path ?? path) === path &&
      (asked.shared ?? shared ?? false) === (shared ?? false)
    if (isSame) return undefined
    return `svc.json asks for another disk than ${name} has, which is ${formatBytes(size ?? 0)} at ${path}${shared ? ', shared' : ''}. To change it: ${diskCommand(asked)}`
  }
  if (until)
    return `svc.json asks for a disk, and that of ${name} was removed. To bring it back with its files: svc disk add`
  try {
    const params = { name }
    const body = { size_bytes: asked.sizeBytes, path: asked.path, shared: asked.shared }
    const added = (await connect()('PUT /projects/:name/disk', { params, body })).disk
    notice(
      `Added a disk of ${formatBytes(added?.size_bytes ?? 0)} at ${added?.path ?? ''}, as svc.json asks.`,
    )
    return undefined
  } catch (error) {
    if (!isRefused(error)) throw error
    return `svc.json asks for a disk, and ${name} has none. An admin adds it: ${diskCommand(asked)}`
  }
}

/** `undefined` if the platform has no disks, or does not tell this token. */
async function diskOf(name: string) {
  try {
    return await connect()('GET /projects/:name/disk', { params: { name } })
  } catch (error) {
    if (isRefused(error)) return undefined
    throw error
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && [401, 403, 404].includes(error.status)
