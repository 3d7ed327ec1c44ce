// The command that starts the server of a repository, as its files say it.
import { readStart } from '@svc/contract/site'
import { type Manifest, scriptOf } from './manifest.ts'
import { below, type SourceFiles } from './source-files.ts'

interface StartCommand {
  line: string
  from: 'Procfile' | 'svc.start' | 'script'
}

/** `undefined` if nothing says how to start a server. */
export async function readStartCommand(
  files: SourceFiles,
  dir: string,
  manifest: Manifest | undefined,
): Promise<StartCommand | undefined> {
  const procfile = (await files.read(below(dir, 'Procfile'))) ?? ''
  const web = procfile.split('\n').find(line => line.trimStart().startsWith('web:'))
  const own = manifest?.svc?.start
  const found: StartCommand[] = [
    { from: 'Procfile', line: web?.slice(web.indexOf(':') + 1) ?? '' },
    { from: 'svc.start', line: typeof own === 'string' ? own : '' },
    { from: 'script', line: scriptOf(manifest, 'start') ?? '' },
  ]
  const first = found.find(({ line }) => line.trim() !== '')
  return first && { ...first, line: first.line.trim() }
}

/** `npm start` and the like run the script. */
const runsStartScript = /^(?:npm|pnpm|yarn|bun)(?: run)? start$/

/** The command itself, if the line only runs the script of package.json. */
export const resolveScript = (line: string, manifest: Manifest | undefined): string =>
  runsStartScript.test(line) ? (scriptOf(manifest, 'start') ?? line).trim() : line

/**
 * Whether the command runs a file with Node and nothing else, so that the imports of the files say which packages it needs.
 * `-r` and `--import` load further modules, and other programs are packages themselves.
 */
export const runsNodeAlone = (line: string): boolean => {
  const words = line.split(/\s+/)
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

const runsNext = (word: string): boolean => /(?:^|\/)next$/.test(word) || word.includes('.next/standalone')

/**
 * Whether the command starts a server that the author of a Next.js project wrote, such as `node server.js`. The standalone
 * server takes the place of `next start`, and of programs for development.
 */
export function startsOwnServer({ line, from }: StartCommand, manifest: Manifest | undefined): boolean {
  const command = resolveScript(line, manifest)
  if (command.split(/[\s'"]+/).some(runsNext)) return false
  const start = readStart(withScripts(scriptsOf(manifest).set('start', command)), () => true)
  if (start?.starts === 'server') return start.framework !== 'next-start'
  // A command that the author wrote for the platform is taken at its word.
  return start?.starts === 'unknown' && from !== 'script'
}

/** What the start script starts, and the paths of which one must be a file. */
export function startOf(manifest: Manifest | undefined): {
  start: ReturnType<typeof readStart>
  candidates: string[]
} {
  const candidates: string[] = []
  const start = readStart(withScripts(scriptsOf(manifest), manifest?.main), path => {
    candidates.push(path)
    return false
  })
  return { start, candidates }
}

const scriptsOf = (manifest: Manifest | undefined): Map<string, string> =>
  new Map(
    Object.entries(manifest?.scripts ?? {}).flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, text] as const] : [],
    ),
  )

const withScripts = (scripts: Map<string, string>, main?: unknown) => ({
  main: typeof main === 'string' ? main : undefined,
  scripts,
  dependencies: new Set<string>(),
  devDependencies: new Set<string>(),
  svcStart: undefined,
})
