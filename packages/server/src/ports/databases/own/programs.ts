// Finds the programs of PostgreSQL on this machine. A cluster needs those of the major version that made it.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'

export interface Programs {
  /** The directory of `postgres` and `initdb`. */
  bin: string
  /** The directory of the control files of extensions. */
  extensionDir: string
  major: number
}

const debian = '/usr/lib/postgresql'
const places = ['/usr/local/bin', '/usr/bin', '/usr/local/pgsql/bin', '/usr/pgsql/bin']

/** The newest version, or that of the cluster. `undefined` if there is none. `chosen` replaces the places of the system. */
export function findPrograms(clusterDir: string, chosen: string | undefined): Programs | undefined {
  const made = majorOf(clusterDir)
  const dirs = chosen === undefined ? [...debianDirs(), ...places] : [chosen]
  const found = dirs.flatMap(dir => programsIn(dir) ?? []).sort((a, b) => b.major - a.major)
  return found.find(({ major }) => made === undefined || major === made)
}

/** The major version that made a cluster. `undefined` if there is no cluster. */
export function majorOf(clusterDir: string): number | undefined {
  const file = path.join(clusterDir, 'PG_VERSION')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').trim()) : undefined
}

const debianDirs = (): string[] =>
  existsSync(debian) ? readdirSync(debian).map(version => path.join(debian, version, 'bin')) : []

/** The files of a version stand together, so the name of the directory of its texts says which it is. */
function programsIn(dir: string): Programs | undefined {
  if (!['postgres', 'initdb'].every(name => existsSync(path.join(dir, name)))) return undefined
  const bin = path.dirname(realpathSync(path.join(dir, 'postgres')))
  const version = path.basename(path.dirname(bin))
  const shares = [
    `/usr/share/postgresql/${version}`,
    path.join(bin, '../share/postgresql'),
    path.join(bin, '../share'),
  ]
  const share = shares.find(each => existsSync(path.join(each, 'postgres.bki')))
  if (share === undefined) return undefined
  // Its first line is `# PostgreSQL 17`.
  const major = Number(
    /^# PostgreSQL (\d+)/.exec(readFileSync(path.join(share, 'postgres.bki'), 'utf8').slice(0, 100))?.[1],
  )
  return Number.isInteger(major) ? { bin, extensionDir: path.join(share, 'extension'), major } : undefined
}
