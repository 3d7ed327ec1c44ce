// Where apps and builds find Node, npm and the global packages inside the sandbox.
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { NodeInstall } from './node-installs.ts'

/**
 * The directory of a Node that is not below /usr, such as one of nvm, and of a Node that a project asks for. It is not the
 * directory outside: that one is often below /home or /tmp, where the sandbox mounts directories of the command itself.
 */
const insideNodeDir = '/opt/node'

/** bubblewrap lets only root read directories that it makes for a mount, unless they are named. */
const folders = ['/opt', insideNodeDir, `${insideNodeDir}/bin`, `${insideNodeDir}/lib`]

const isOfSystem = (program: string): boolean => program.startsWith('/usr/')

/** The path of svcd's own Node inside the sandbox. */
export const insideNode = isOfSystem(realpathSync(process.execPath))
  ? process.execPath
  : `${insideNodeDir}/bin/node`

/** The path inside the sandbox of a Node that a project asks for. */
export const insideAskedNode = `${insideNodeDir}/bin/node`

/** bubblewrap options that show Node, npm and the global packages if Node is not below /usr, and nothing else of its directory. */
export function nodeAt(program: string): string[] {
  if (isOfSystem(program)) return []
  return [...nodeProgram(program), ...packagesBeside(program)]
}

/** The same for a Node that a project asks for. If it has no npm, that of svcd's own Node is shown. */
export function askedNodeAt({ program, modules }: NodeInstall): string[] {
  if (modules !== undefined) return [...nodeProgram(program), ...packagesIn(modules)]
  const own = realpathSync(process.execPath)
  // The npm of a system is in PATH anyway, and runs with the first Node there.
  return [...nodeProgram(program), ...(isOfSystem(own) ? [] : packagesBeside(own))]
}

const nodeProgram = (program: string): string[] => [
  ...folders.flatMap(dir => ['--perms', '0755', '--dir', dir]),
  ...['--ro-bind', program, `${insideNodeDir}/bin/node`],
]

/** Beside a program in `bin`, npm and others are links to the packages in `lib`. */
function packagesBeside(program: string): string[] {
  const bin = path.dirname(program)
  const modules = path.join(path.dirname(bin), 'lib', 'node_modules')
  const links = ['npm', 'npx', 'corepack'].filter(name => isLink(path.join(bin, name)))
  return [
    ...['--ro-bind-try', modules, `${insideNodeDir}/lib/node_modules`],
    ...links.flatMap(name => [
      '--symlink',
      readlinkSync(path.join(bin, name)),
      `${insideNodeDir}/bin/${name}`,
    ]),
  ]
}

/** The programs of the packages that come with Node. */
const programs = {
  npm: 'npm/bin/npm-cli.js',
  npx: 'npm/bin/npx-cli.js',
  corepack: 'corepack/dist/corepack.js',
}

function packagesIn(modules: string): string[] {
  const present = Object.entries(programs).filter(([, file]) => existsSync(path.join(modules, file)))
  return [
    ...['--ro-bind', modules, `${insideNodeDir}/lib/node_modules`],
    ...present.flatMap(([name, file]) => [
      '--symlink',
      `../lib/node_modules/${file}`,
      `${insideNodeDir}/bin/${name}`,
    ]),
  ]
}

export const isLink = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
