// Projects that a Dockerfile builds and starts.
import { below, isPresent, type ProjectFiles } from './files.ts'
import type { BuildPlan } from './plan.ts'

const usualNames = ['Dockerfile', 'Containerfile']

/** What a visitor or the platform finds without a build. The last one is a built server of Next.js: alone, nothing starts server.js. */
const servedAsTheyAre = [['index.html'], ['_redirects'], ['server.js', '.next/']]

/** Whether nothing says how the folder is built, started or shown. */
export async function isUnclear(files: ProjectFiles, plan: BuildPlan): Promise<boolean> {
  if (plan.hasStart || plan.output || (plan.build && !plan.isGuessed)) return false
  for (const names of servedAsTheyAre) {
    const present = await Promise.all(names.map(name => isPresent(files, below(plan.dir, name))))
    if (present.every(Boolean)) return false
  }
  return true
}

/** The path of the Dockerfile in the folder that is built, if nothing else says how the project is built or started. */
export async function findDockerfile(files: ProjectFiles, plan: BuildPlan): Promise<string | undefined> {
  if (!(await isUnclear(files, plan))) return undefined
  for (const name of usualNames) if (await files.hasFile(below(plan.dir, name))) return name
  return undefined
}

/** The variables that a Dockerfile declares with ARG. No others are passed to its build. */
export function declaredArgs(dockerfile: string): Set<string> {
  const names = new Set<string>()
  for (const { name, rest } of readingsOf(dockerfile).flat()) {
    if (name !== 'arg') continue
    for (const word of rest.split(/\s+/)) {
      const arg = word.split('=')[0] ?? ''
      if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(arg)) names.add(arg)
    }
  }
  return names
}

/**
 * The instruction that would make the engine itself fetch a URL. It does so from the machine's own network, so a Dockerfile could
 * read what only the machine reaches. A source that cannot be read without running the build counts as a URL.
 */
export function fetchingInstruction(dockerfile: string): string | undefined {
  const found = readingsOf(dockerfile)
    .flat()
    .find(
      ({ name, rest }) =>
        name === 'onbuild' || (name === 'add' && /:\/\/|[$\\`]/.test(rest.replace(/["']/g, ''))),
    )
  return found && lineOf(found)
}

/** For messages. */
export const lineOf = ({ name, rest }: Instruction): string => `${name.toUpperCase()} ${rest}`.slice(0, 200)

export interface Instruction {
  /** In small letters. */
  name: string
  rest: string
}

/** A comment at the top may choose another character that continues a line. Both readings count then. */
export function readingsOf(dockerfile: string): Instruction[][] {
  const readings = [/\\[ \t]*$/, ...(/escape/i.test(dockerfile) ? [/`[ \t]*$/] : [])]
  return readings.map(continued => joinedLines(dockerfile, continued).map(parsed))
}

/** Comments and empty lines between the parts of a line are left out, as Docker does. */
function joinedLines(dockerfile: string, continued: RegExp): string[] {
  const lines: string[] = []
  let begun = ''
  for (const line of dockerfile.replace(/^\ufeff/, '').split(/\r?\n/)) {
    if (/^\s*(?:#|$)/.test(line)) continue
    if (continued.test(line)) begun += line.replace(continued, '')
    else {
      lines.push(begun + line)
      begun = ''
    }
  }
  return [...lines, begun]
}

function parsed(line: string): Instruction {
  const text = line.replace(/^[\s\u0085]+/, '')
  const [name = ''] = text.split(/[\s\u0085]/, 1)
  return { name: name.toLowerCase(), rest: text.slice(name.length).trim() }
}
