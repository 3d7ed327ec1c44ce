// Finds out whether a deployment is a server, and how it starts. The first framework whose marks are all there wins.
import type { PackReader } from '../../ports/packs/pack-reader.ts'
import { type Framework, type FrameworkId, frameworks } from './frameworks.ts'

export type Command = readonly [string, ...string[]]

export interface DetectedApp {
  framework: FrameworkId
  command: Command
}

export interface Detected {
  /** Undefined: the deployment is static. */
  app: DetectedApp | undefined
  /** What looks as if a server was meant. */
  warnings: string[]
}

/** The part of a pack's reader that is needed. */
export type AppFiles = Pick<PackReader, 'find' | 'files' | 'read'>

/** Both files are read whole, so they are bounded. */
const readAtMost = 256 * 1024

const longestCommand = 4096

export async function detectApp(files: AppFiles): Promise<Detected> {
  const warnings: string[] = []
  for (const [id, framework] of Object.entries(frameworks) as [FrameworkId, Framework][]) {
    if (!framework.marks.every(mark => has(files, mark))) continue
    const command = framework.command ?? (await statedCommand(files, id, warnings))
    if (command) return { app: { framework: id, command }, warnings }
  }
  return { app: undefined, warnings }
}

function has(files: AppFiles, mark: string): boolean {
  if (!mark.endsWith('/')) return files.find(mark) !== undefined
  for (const { path } of files.files()) if (path.startsWith(mark)) return true
  return false
}

/** What the user wrote runs in a shell, inside the sandbox alone. */
async function statedCommand(
  files: AppFiles,
  id: FrameworkId,
  warnings: string[],
): Promise<Command | undefined> {
  const [path, parse] = id === 'procfile' ? ['Procfile', webProcess] : ['package.json', svcStart]
  const file = files.find(path)
  if (!file) return undefined
  if (file.size > readAtMost) {
    warnings.push(`${path} is larger than 256 KB and was not read.`)
    return undefined
  }
  const line = parse((await files.read(file)).toString('utf8'), warnings)
  if (line === undefined) return undefined
  if (line.length > longestCommand || line.includes('\0')) {
    warnings.push(`The start command in ${path} is longer than ${longestCommand} characters or holds a NUL.`)
    return undefined
  }
  return ['/bin/sh', '-c', line]
}

function webProcess(text: string, warnings: string[]): string | undefined {
  for (const line of text.split(/\r?\n/)) {
    const [, command] = /^\s*web\s*:(.*)$/.exec(line) ?? []
    if (command === undefined) continue
    if (command.trim() !== '') return command.trim()
    warnings.push('The web: line of the Procfile has no command.')
    return undefined
  }
  warnings.push('The Procfile has no web: line, so it starts no server.')
  return undefined
}

function svcStart(text: string, warnings: string[]): string | undefined {
  let start: unknown
  try {
    start = (JSON.parse(text.replace(/^\uFEFF/, '')) as { svc?: { start?: unknown } } | null)?.svc?.start
  } catch {
    // Not ours to judge: a site may hold any package.json.
    return undefined
  }
  if (start === undefined) return undefined
  if (typeof start === 'string' && start.trim() !== '') return start.trim()
  warnings.push('svc.start in package.json is not a command.')
  return undefined
}

/** As it is stored and shown. */
export const encodeCommand = (command: Command): string => JSON.stringify(command)
export const decodeCommand = (stored: string): Command => JSON.parse(stored) as unknown as Command

/** As people write it. */
export function describeCommand(command: Command): string {
  return command[0] === '/bin/sh' && command[1] === '-c' ? (command[2] ?? '') : command.join(' ')
}
