// Brings a cluster back aside as it was at a time: the last copy of the cluster before that, and the log since.
import { constants } from 'node:fs'
import { copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { formatBytes } from '@svc/contract/bytes'
import { hourMs } from '@svc/contract/durations'
import { diskSpace } from '../../../../lib/disk-space.ts'
import { Fault } from '../../../../lib/fault.ts'
import { endOf, startProgram } from '../../../../lib/start-program.ts'
import { adminRole, noPrograms } from '../cluster.ts'
import { openLauncher } from '../launch.ts'
import { findPrograms, majorOf } from '../programs.ts'
import { OwnServer, type OwnServerSettings } from '../server.ts'
import { ArchivePlace, type BaseCopy, chainFrom, clustersIn } from './place.ts'

const recoversWithinMs = hourMs
const reserveBytes = 512 * 1024 ** 2
/** Below the directory of the cluster, where the server sees it. */
const logName = 'log-of-the-archive'
const notReached = 'recovery ended before configured recovery target was reached'

interface Asked {
  folder: string
  /** Milliseconds since the epoch. */
  at: number
}

/** The settings of a server on the cluster as of the time. Its directory is to be removed after use. */
export async function recoverAside(
  live: OwnServerSettings,
  { folder, at }: Asked,
): Promise<OwnServerSettings> {
  const { base, place, segments } = await planOf(folder, at)
  const dir = recoveryDir(live)
  await endRecovery(live)
  const clusterDir = path.join(dir, 'cluster')
  const logDir = path.join(clusterDir, logName)
  await requireRoom(dir, place, base, segments)
  await mkdir(clusterDir, { recursive: true, mode: 0o700 })
  await unpack(base.file, clusterDir)
  await mkdir(logDir, { mode: 0o700 })
  for (const name of segments)
    await copyFile(place.segmentFile(name), path.join(logDir, `${name}.gz`), constants.COPYFILE_FICLONE)
  await writeFile(path.join(clusterDir, 'recovery.signal'), '')
  await copyFile(path.join(live.dir, 'password'), path.join(dir, 'password'))
  const rulesFile = await giveAway(live, dir)
  const settings = (target: Record<string, string>): OwnServerSettings => ({
    ...live,
    dir,
    archives: false,
    startsWithinMs: recoversWithinMs,
    extraSettings: { ...common, hba_file: rulesFile, ...target },
  })
  const time = new Date(at).toISOString().replace('T', ' ').replace('Z', '+00')
  const toTime = settings({ recovery_target_time: time, recovery_target_action: 'promote' })
  try {
    await new OwnServer(toTime).start()
    return toTime
  } catch (error) {
    // No transaction of these segments is later, so all of them is the state at that time.
    if (!String((error as Error).message).includes(notReached)) throw error
    const toEnd = settings({})
    await new OwnServer(toEnd).start()
    return toEnd
  }
}

/** Its shell gets no text but the names of segments, which the server makes. The working directory is that of the cluster. */
const common = {
  restore_command: `gzip -dc ${logName}/%f.gz > %p`,
  hot_standby: 'off',
  // It is of no use after a crash.
  fsync: 'off',
  full_page_writes: 'off',
}

const recoveryDir = ({ dir }: OwnServerSettings): string => path.join(dir, 'recovery')

/** Ends and removes what a recovery left, also one that was killed. */
export async function endRecovery(live: OwnServerSettings): Promise<void> {
  const dir = recoveryDir(live)
  if (await stat(path.join(dir, 'cluster', 'PG_VERSION')).catch(() => undefined)) {
    const server = new OwnServer({ ...live, dir })
    await server.cluster()
    await server.stop()
  }
  await rm(dir, { recursive: true, force: true })
}

async function planOf(
  folder: string,
  at: number,
): Promise<{ place: ArchivePlace; base: BaseCopy; segments: string[] }> {
  const places = (await clustersIn(folder)).map(id => new ArchivePlace(folder, id))
  const all = (
    await Promise.all(places.map(async place => (await place.bases()).map(base => ({ place, base }))))
  ).flat()
  all.sort((a, b) => a.base.finishedAt - b.base.finishedAt)
  const chosen = all.findLast(({ base }) => base.finishedAt <= at)
  if (!chosen) {
    const first = all[0] && new Date(all[0].base.finishedAt).toISOString()
    throw new Fault(
      'not_found',
      first
        ? `The archive in ${folder} begins at ${first}. Name a later time.`
        : `There is no copy of the databases in ${folder} yet.`,
    )
  }
  const { place, base } = chosen
  const chain = chainFrom(
    base.firstSegment,
    (await place.segments()).filter(name => name >= base.firstSegment),
  )
  const times = await Promise.all(chain.map(name => place.writtenAt(name)))
  const later = times.findIndex(time => time > at)
  if (later === -1) {
    const last = times.at(-1)
    throw new Fault(
      'not_found',
      last === undefined
        ? `The log after the copy of ${new Date(base.finishedAt).toISOString()} is missing in ${place.logDir}.`
        : `The archive in ${folder} has no changes after ${new Date(last).toISOString()}, or some before are missing. Name an earlier time.`,
    )
  }
  // What was written at that time may be in the next one, too.
  return { place, base, segments: chain.slice(0, later + 2) }
}

async function requireRoom(
  dir: string,
  place: ArchivePlace,
  base: BaseCopy,
  segments: readonly string[],
): Promise<void> {
  let needed = base.bytes + reserveBytes
  for (const name of segments) needed += (await stat(place.segmentFile(name))).size
  const { freeBytes } = await diskSpace(path.dirname(dir))
  if (freeBytes < needed)
    throw new Fault(
      'unavailable',
      `A recovery needs ${formatBytes(needed)} in ${path.dirname(dir)}, which has ${formatBytes(freeBytes)} free.`,
    )
}

async function unpack(file: string, dir: string): Promise<void> {
  const args = [
    '--extract',
    '--gzip',
    '--no-same-owner',
    '--preserve-permissions',
    '--file',
    file,
    '--directory',
    dir,
  ]
  const child = startProgram('tar', args, {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', chunk => {
    said = `${said}${chunk}`.slice(-500)
  })
  const code = await endOf(child)
  if (code !== 0) throw new Error(`${file} could not be unpacked: ${said.trim()}`)
}

/**
 * The server runs as a user of its own if svcd is root. Returns the file of its rules, as the server sees it: the cluster may be that
 * of a lost machine, whose password is unknown. Nobody but svcd reaches the socket.
 */
async function giveAway({ machine, programs }: OwnServerSettings, dir: string): Promise<string> {
  const [clusterDir, socketDir] = [path.join(dir, 'cluster'), path.join(dir, 'socket')]
  const rulesName = 'rules-of-the-recovery.conf'
  await writeFile(
    path.join(clusterDir, rulesName),
    `local all ${adminRole} trust\nlocal samerole all scram-sha-256\n`,
  )
  await mkdir(socketDir, { mode: 0o755 })
  const found = findPrograms(clusterDir, programs)
  if (!found) throw new Fault('unavailable', noPrograms(majorOf(clusterDir), programs))
  const { user, inside } = await openLauncher(machine, found, { clusterDir, socketDir })
  if (user !== undefined) await machine.giveTo(user, [clusterDir, socketDir])
  return path.join(inside.clusterDir, rulesName)
}
