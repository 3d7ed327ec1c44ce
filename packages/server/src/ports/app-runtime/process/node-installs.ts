// The versions of Node on this machine: the one that runs svcd, and those in a folder that the operator names. They are looked
// for once, when svcd starts.
import { execFile } from 'node:child_process'
import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

export interface NodeInstall {
  /** Such as `22.12.0`. */
  version: string
  program: string
  /** The folder with its package npm. `undefined` if it has none: then the npm of svcd's own Node runs with it. */
  modules: string | undefined
}

interface NodeInstalls {
  /** The Node that runs svcd comes first. */
  installs: readonly NodeInstall[]
  /** What cannot be used, and why, for the operator. */
  warnings: readonly string[]
}

/** Where the program is in a folder, and where its packages are. */
const layouts = [
  // The archives of nodejs.org, and what nvm and n install.
  { program: 'bin/node', modules: 'lib/node_modules' },
  // npm install --prefix <folder> node@22
  { program: 'node_modules/node/bin/node', modules: 'node_modules' },
  // fnm
  { program: 'installation/bin/node', modules: 'installation/lib/node_modules' },
] as const

const foldersAtMost = 100
const answerWithinMs = 10_000

const ownNode: NodeInstall = {
  version: process.versions.node,
  program: process.execPath,
  modules: undefined,
}

/** The install of a version. `undefined` for svcd's own, which everything gets unless it asks for another one. */
export function askedInstall(
  installs: readonly NodeInstall[],
  version: string | undefined,
): NodeInstall | undefined {
  if (version === undefined || version === ownNode.version) return undefined
  const found = installs.find(install => install.version === version)
  if (!found) throw new Error(`Node ${version} is not among those that svcd found when it started`)
  return found
}

/** Of two with the same version, the first one counts. */
export async function findNodeInstalls(dir: string | undefined): Promise<NodeInstalls> {
  const installs = [ownNode]
  const warnings: string[] = []
  try {
    const names = dir === undefined ? [] : ['.', ...(await readdir(dir)).sort()]
    if (names.length > foldersAtMost + 1)
      warnings.push(`of the folders in ${dir}, only the first ${foldersAtMost} are looked at`)
    for (const name of names.slice(0, foldersAtMost + 1)) {
      const found = await installIn(path.join(dir ?? '', name))
      if (found === undefined) continue
      if (typeof found === 'string') warnings.push(found)
      else if (!installs.some(known => known.version === found.version)) installs.push(found)
    }
  } catch (error) {
    warnings.push(`the folder of SVCD_NODE_DIR cannot be read: ${(error as Error).message}`)
  }
  return { installs, warnings }
}

/** The Node in a folder, or why it cannot be used. `undefined` if there is none. */
async function installIn(folder: string): Promise<NodeInstall | string | undefined> {
  for (const layout of layouts) {
    const program = await realpath(path.join(folder, layout.program)).catch(() => undefined)
    if (program === undefined) continue
    // Apps and builds run as other users.
    if (((await stat(program)).mode & 0o005) !== 0o005)
      return `${program} is not used: not all users may run it (chmod a+rx)`
    const version = await versionOf(program)
    if (version === undefined)
      return `${program} is not used: it does not run here, or is not a release of Node`
    const modules = path.join(folder, layout.modules)
    return { version, program, modules: (await hasNpm(modules)) ? await realpath(modules) : undefined }
  }
  return undefined
}

async function versionOf(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], { env: {}, timeout: answerWithinMs })
    return /^v(\d{1,3}\.\d{1,5}\.\d{1,5})$/.exec(stdout.trim())?.[1]
  } catch {
    return undefined // A program for another system, for example.
  }
}

const hasNpm = (modules: string): Promise<boolean> =>
  stat(path.join(modules, 'npm', 'bin', 'npm-cli.js')).then(
    () => true,
    () => false,
  )
