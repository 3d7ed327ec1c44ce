// The command that starts the server of a project, as its files say it.
import { below, type ProjectFiles } from './files.ts'
import type { Framework } from './framework.ts'
import { replacementOf } from './frameworks.ts'
import type { PackageJson } from './package-json.ts'
import { webCommand } from './procfile.ts'
import { readCommand } from './start-script.ts'

export interface StartCommand {
  line: string
  from: 'Procfile' | 'svc.start' | 'script'
}

/** `undefined` if nothing says how to start a server. */
export async function readStartCommand(
  files: ProjectFiles,
  dir: string,
  manifest: PackageJson | undefined,
): Promise<StartCommand | undefined> {
  const procfile = (await files.read(below(dir, 'Procfile'))) ?? ''
  const own = manifest?.svcStart
  const found: StartCommand[] = [
    { from: 'Procfile', line: webCommand(procfile) ?? '' },
    { from: 'svc.start', line: typeof own === 'string' ? own : '' },
    { from: 'script', line: manifest?.scripts.get('start') ?? '' },
  ]
  const first = found.find(({ line }) => line.trim() !== '')
  return first && { ...first, line: first.line.trim() }
}

/** `npm start` and the like run the script. */
const runsStartScript = /^(?:npm|pnpm|yarn|bun)(?: run)? start$/

/** The command itself, if the line only runs the script of package.json. */
const resolveScript = (line: string, manifest: PackageJson | undefined): string =>
  runsStartScript.test(line) ? (manifest?.scripts.get('start') ?? line).trim() : line

/**
 * Whether the command runs a file with Node and nothing else, so that the imports of the files say which packages it needs.
 * `-r` and `--import` load further modules, and other programs are packages themselves.
 */
export function runsNodeAlone({ line }: StartCommand, manifest: PackageJson | undefined): boolean {
  const words = resolveScript(line, manifest).split(/\s+/)
  const program = words.findIndex(word => !/^\w+=/.test(word))
  const [node, ...args] = words.slice(program)
  return (
    node === 'node' &&
    args.some(word => !word.startsWith('-')) &&
    args.every(word => /^[\w./=,:@-]+$/.test(word) && !loadsModules.test(word))
  )
}

const loadsModules =
  /^(?:-r|--require|--import|--loader|--experimental-loader|-e|--eval|-p|--print|--run)(?:=|$)/

/** Whether the word is a program of the framework, or in the folder of the server that it builds. */
const belongsTo = (word: string, { programs, server }: Framework): boolean =>
  programs.some(program => word === program || word.endsWith(`/${program}`)) ||
  (server !== undefined && word.includes(server.folder))

/**
 * Whether the command starts a server that the author of the project wrote, such as `node server.js`, and not what a framework
 * starts. The server that the framework builds takes the place of that, and of programs for development.
 */
export async function startsOwnServer(
  { line, from }: StartCommand,
  manifest: PackageJson,
  replacing: readonly Framework[],
): Promise<boolean> {
  const command = resolveScript(line, manifest)
  const words = command.split(/[\s'"]+/)
  if (replacing.some(framework => words.some(word => belongsTo(word, framework)))) return false
  const start = await readCommand(command, manifest, () => true)
  if (start.starts === 'server') return replacementOf(start.framework) === undefined
  // A command that the author wrote for the platform is taken at its word.
  return start.starts === 'unknown' && from !== 'script'
}
