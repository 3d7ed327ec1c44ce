// Who the files in the data directory belong to. The service runs as one user, and root runs commands beside it. What root
// writes there must belong to the service's user, or the service cannot read it.
import { accessSync, constants, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import type { Settings } from './config.ts'
import { Fault } from './lib/fault.ts'

interface Owner {
  uid: number
  gid: number
}

/** The owner that root acts for, while `actAsOwner` is in effect. */
let actingFor: Owner | undefined

/** If root runs this command on the directory of another user, it goes on as that user. */
export function becomeOwner({ dataDir }: Pick<Settings, 'dataDir'>): void {
  const owner = otherOwner(dataDir)
  if (!owner) return
  joinGroupsOf(owner)
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
}

/** Like `becomeOwner`, but `asCaller` can still open files of root. */
export function actAsOwner({ dataDir }: Pick<Settings, 'dataDir'>): void {
  const owner = otherOwner(dataDir)
  if (!owner) return
  actingFor = owner
  takeRights(owner)
}

/** Does something with the rights of the caller of this command. Nothing else may be under way meanwhile. */
export async function asCaller<T>(work: () => Promise<T>): Promise<T> {
  if (!actingFor) return await work()
  process.seteuid?.(0)
  process.setegid?.(0)
  try {
    return await work()
  } finally {
    takeRights(actingFor)
  }
}

function takeRights({ uid, gid }: Owner): void {
  process.setegid?.(gid)
  process.seteuid?.(uid)
}

/** Throws if root starts a server on the directory of another user. */
export function requireOwner({ dataDir }: Pick<Settings, 'dataDir'>): void {
  const owner = otherOwner(dataDir)
  if (owner)
    throw new Fault(
      'forbidden',
      `${dataDir} belongs to the user ${owner.uid}, and root would leave files there that this user cannot read. Start svcd as that user (with systemd: systemctl start svcd), or give the directory to root: chown -R root: ${dataDir}`,
    )
}

/** Throws an error that names the file if one of them cannot be read or written. */
export function requireAccess(dataDir: string, names: readonly string[]): void {
  for (const name of names) {
    const file = path.join(dataDir, name)
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat && !isAccessible(file))
      throw new Fault(
        'forbidden',
        `${file} cannot be read and written by the user ${currentUser()}, as which svcd runs. It belongs to ${stat.uid === 0 ? 'root' : `the user ${stat.uid}`}. Run as root: chown -R ${currentUser()}: ${dataDir}`,
      )
  }
}

function isAccessible(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' // It was removed meanwhile.
  }
}

function currentUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.()) // A user without a name, as in many containers.
  }
}

/** `undefined` unless root runs this and the directory belongs to somebody else. */
function otherOwner(dataDir: string): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  const stat = statSync(dataDir, { throwIfNoEntry: false })
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : undefined
}

/** The user's groups, such as that of the container engine's socket. */
function joinGroupsOf({ uid, gid }: Owner): void {
  try {
    // The types of Node do not know this function.
    ;(process as { initgroups?(user: number, group: number): void }).initgroups?.(uid, gid)
  } catch {
    process.setgroups?.([gid]) // A user without a name has no groups.
  }
}
