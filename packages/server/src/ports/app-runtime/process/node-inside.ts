// Where apps and builds find Node, npm and the global packages inside the sandbox.
import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import path from 'node:path'

/**
 * The directory of a Node that is not below /usr, such as one of nvm. It is not the directory outside: that one is often below
 * /home or /tmp, where the sandbox mounts directories of the command itself.
 */
const insideNodeDir = '/opt/node'

/** bubblewrap lets only root read directories that it makes for a mount, unless they are named. */
const folders = ['/opt', insideNodeDir, `${insideNodeDir}/bin`, `${insideNodeDir}/lib`]

const isOfSystem = (program: string): boolean => program.startsWith('/usr/')

/** The path of Node inside the sandbox. */
export const insideNode = isOfSystem(realpathSync(process.execPath))
  ? process.execPath
  : `${insideNodeDir}/bin/node`

/** bubblewrap options that show Node, npm and the global packages if Node is not below /usr, and nothing else of its directory. */
export function nodeAt(program: string): string[] {
  if (isOfSystem(program)) return []
  const bin = path.dirname(program)
  const modules = path.join(path.dirname(bin), 'lib', 'node_modules')
  const links = ['npm', 'npx', 'corepack'].filter(name => isLink(path.join(bin, name)))
  return [
    ...folders.flatMap(dir => ['--perms', '0755', '--dir', dir]),
    ...['--ro-bind', program, `${insideNodeDir}/bin/node`],
    ...['--ro-bind-try', modules, `${insideNodeDir}/lib/node_modules`],
    ...links.flatMap(name => [
      '--symlink',
      readlinkSync(path.join(bin, name)),
      `${insideNodeDir}/bin/${name}`,
    ]),
  ]
}

export const isLink = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
