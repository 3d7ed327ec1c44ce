// Installs a release beside the version that runs. Nothing uses it before the link leads to it.
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { isOlderVersion } from '@svc/contract/versions'
import { Fault } from '../../lib/fault.ts'
import { readForeignFile } from '../../lib/read-foreign-file.ts'
import { version as ownVersion } from '../../version.ts'
import { run } from '../install/system.ts'
import { programOf, type Versions, withPublicFiles } from './versions.ts'

/** Returns its version. Throws if it is not a newer svcd than the one that runs, or does not start on this machine. */
export async function unpackRelease(
  versions: Versions,
  file: string,
  running: string | undefined,
): Promise<string> {
  const unpacked = path.join(path.dirname(file), 'unpacked')
  await withPublicFiles(() => {
    mkdirSync(unpacked)
    // The program is started before this returns.
    return run('tar', '-xzf', file, '-C', unpacked, '--strip-components=1', '--no-same-owner')
  })
  const version = await checkedVersion(unpacked, running)
  // This command is one of the current version, so its files stay.
  if (version === versions.current) return version
  const folder = versions.folderOf(version)
  rmSync(folder, { recursive: true, force: true })
  renameSync(unpacked, folder)
  return version
}

interface Manifest {
  name?: string
  version?: string
  engines?: { node?: string }
}

/** Empty if the package has none. */
function manifestIn(folder: string): Manifest {
  try {
    return JSON.parse(readForeignFile(path.join(folder, 'package.json'), 65_536) ?? '{}') ?? {}
  } catch {
    return {} // It is no JSON.
  }
}

async function checkedVersion(folder: string, running: string | undefined): Promise<string> {
  const { name, version = '', engines } = manifestIn(folder)
  if (name !== 'svcd' || !/^\d+\.\d+\.\d+(?:[-+][\w.+-]*)?$/.test(version))
    throw new Fault('invalid_request', "The package is no release of svcd. 'npm run release' makes one.")
  const needed = /^>=(\d+\.\d+)/.exec(engines?.node ?? '')?.[1]
  if (needed && isOlderVersion(process.versions.node, `${needed}.0`))
    throw new Fault(
      'unavailable',
      `svcd ${version} needs Node.js ${needed}, and this is ${process.versions.node}. Upgrade Node.js first; 'svcd install' then lets the service use it.`,
    )
  if (version === running)
    throw new Fault('invalid_request', `svcd ${version} is installed already, and is the current version.`)
  // After an upgrade that was killed, this command may be of a newer version than the one that runs.
  const present = running ?? ownVersion
  if (isOlderVersion(version, present))
    throw new Fault(
      'invalid_request',
      `svcd ${version} is older than this one (${present}). Changes of the database are never undone: to go back, install ${version} and restore a backup from before the upgrade.`,
    )
  const said = (await run(process.execPath, programOf(folder), '--version')).trim()
  if (said !== version)
    throw new Fault(
      'invalid_request',
      `The program in the package says that it is ${said}, and not ${version}.`,
    )
  return version
}
