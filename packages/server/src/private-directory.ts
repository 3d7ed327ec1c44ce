// The data directory holds keys and everybody's files, so other users of the machine must not look into it.
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { SettingError } from './config.ts'

const othersMay = 0o077

/** Makes the directory, or closes one that is open to other users and says so. */
export function openPrivateDirectory(dir: string, tell: (line: string) => void): void {
  makeDirectory(dir)
  const loose = looseness(dir)
  if (loose === undefined) return
  if (!isOurs(dir))
    throw new SettingError(
      'SVCD_DATA_DIR',
      `is ${dir}, which holds files of others and is open to other users (mode ${loose}). ` +
        `Choose a directory for svcd alone, or close this one: chmod 700 ${dir}`,
    )
  close(dir, loose)
  for (const name of readdirSync(dir)) {
    const file = path.join(dir, name)
    const mode = looseness(file)
    if (mode !== undefined) close(file, mode)
  }
  tell(`${dir} was open to other users (mode ${loose}). It is closed now (mode 700).`)
}

/** Of an earlier start, or without anything in it yet. */
const isOurs = (dir: string): boolean =>
  existsSync(path.join(dir, 'node-id')) || readdirSync(dir).length === 0

/** The mode, if other users may do anything with the file. Links have none that counts. */
function looseness(file: string): string | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  const isLoose = stat && !stat.isSymbolicLink() && process.platform !== 'win32' && stat.mode & othersMay
  return isLoose ? (stat.mode & 0o7777).toString(8) : undefined
}

function close(file: string, mode: string): void {
  try {
    chmodSync(file, Number.parseInt(mode, 8) & 0o700)
  } catch (error) {
    throw new SettingError(
      'SVCD_DATA_DIR',
      `holds ${file}, which is open to other users (mode ${mode}) and cannot be closed: ${(error as Error).message}. ` +
        `Run as its owner: chmod go-rwx ${file}`,
    )
  }
}

/** Node's own recursive mkdir never returns where a file system refuses new directories with ENOENT, as /proc does. */
function makeDirectory(dir: string): void {
  if (existsSync(dir)) return
  makeDirectory(path.dirname(dir))
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    // Another program of ours may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
