// The files of svcd's own PostgreSQL: made once, with a password of the administrator that only svcd's user can read.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { newSecret } from '../../../lib/ids.ts'
import { replaceFile } from '../../../lib/replace-file.ts'
import { syncDirectory } from '../../../lib/sync-directory.ts'
import { type ClusterDirs, type Launcher, openLauncher } from './launch.ts'
import type { Machine } from './machine.ts'
import { findPrograms, majorOf, type Programs } from './programs.ts'
import { run } from './run.ts'

export interface Cluster extends Required<ClusterDirs> {
  programs: Programs
  machine: Machine
  launcher: Launcher
  password: string
  logFile: string
}

export const adminRole = 'svcd'

/** A role and its guests reach the database of its name alone, and everyone needs a password. */
const rules = `local replication ${adminRole} scram-sha-256
local all ${adminRole} scram-sha-256
local sameuser all scram-sha-256
local samerole all scram-sha-256
local all all reject
`

export async function openCluster(
  machine: Machine,
  dir: string,
  chosen: string | undefined,
): Promise<Cluster> {
  const [clusterDir, socketDir] = [path.join(dir, 'cluster'), path.join(dir, 'socket')]
  const programs = findPrograms(clusterDir, chosen)
  if (!programs) throw new Error(noPrograms(majorOf(clusterDir), chosen))
  for (const each of [dir, clusterDir]) mkdirSync(each, { recursive: true, mode: 0o700 })
  mkdirSync(socketDir, { recursive: true })
  // Apps have users of their own, and svcd's umask closes what it makes.
  chmodSync(socketDir, 0o755)
  const passwordFile = path.join(dir, 'password')
  if (!existsSync(passwordFile)) replaceFile(passwordFile, newSecret())
  const password = readFileSync(passwordFile, 'utf8').trim()
  const launcher = await openLauncher(machine, programs, { clusterDir, socketDir })
  const logFile = path.join(dir, 'server.log')
  const cluster = { clusterDir, socketDir, programs, machine, launcher, password, logFile }
  if (majorOf(clusterDir) === undefined) await make(cluster)
  return cluster
}

const rulesFile = (clusterDir: string): string => path.join(clusterDir, 'pg_hba.conf')

/** Renews the rules of a cluster that an earlier version made. Returns whether they changed. */
export function renewRules({ clusterDir }: Cluster): boolean {
  const file = rulesFile(clusterDir)
  if (readFileSync(file, 'utf8') === rules) return false
  // In place, so that it stays with its owner.
  writeFileSync(file, rules)
  return true
}

export function noPrograms(major: number | undefined, chosen: string | undefined): string {
  const where = chosen === undefined ? 'on this machine' : `in ${chosen} (SVCD_POSTGRES_PROGRAMS)`
  return major === undefined
    ? `PostgreSQL is not installed ${where}: install it (Debian: apt-get install postgresql), or name a server in SVCD_APPS_POSTGRES_URL`
    : `the databases of the projects need PostgreSQL ${major}, which is not installed ${where}: install it again (Debian: apt-get install postgresql-${major})`
}

/** A cluster counts only when it is whole, which its version says. `initdb` writes that file first, so it works beside it. */
async function make(cluster: Cluster): Promise<void> {
  const { clusterDir, socketDir, launcher, machine, programs } = cluster
  const unfinished = `${clusterDir}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  const beside = await openLauncher(machine, programs, { clusterDir: unfinished, socketDir })
  if (launcher.user !== undefined) await machine.giveTo(launcher.user, [unfinished, socketDir])
  const args = [
    ...['--username', adminRole, '--auth', 'reject', '--encoding', 'UTF8', '--locale', 'C.UTF-8'],
    ...['--data-checksums', '--no-instructions', '--pgdata', beside.inside.clusterDir],
  ]
  await run(beside, [path.join(programs.bin, 'initdb'), ...args])
  writeFileSync(rulesFile(unfinished), rules)
  await setPassword(beside, cluster)
  rmSync(clusterDir, { recursive: true, force: true })
  renameSync(unfinished, clusterDir)
  syncDirectory(path.dirname(clusterDir))
}

/** Without a server: a password on the command line or in a file would be open to others for a moment. */
async function setPassword(launcher: Launcher, { programs, password }: Cluster): Promise<void> {
  const single = [path.join(programs.bin, 'postgres'), '--single', '-D', launcher.inside.clusterDir]
  await run(launcher, [...single, '-c', 'password_encryption=scram-sha-256', 'postgres'], {
    input: Readable.from([`alter role ${adminRole} password '${password}'\n`]),
  })
}
