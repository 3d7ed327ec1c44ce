// Projects that a Dockerfile builds and starts.
import { below, isPresent, type ProjectFiles } from './files.ts'
import type { BuildPlan } from './plan.ts'

const usualNames = ['Dockerfile', 'Containerfile']

/** Files that a visitor or the platform finds without a build. */
const servedAsTheyAre = ['index.html', '_redirects', 'server.js']

/** Whether nothing says how the folder is built, started or shown. */
export async function isUnclear(files: ProjectFiles, plan: BuildPlan): Promise<boolean> {
  if (plan.hasStart || plan.output || (plan.build && !plan.isGuessed)) return false
  for (const name of servedAsTheyAre) if (await isPresent(files, below(plan.dir, name))) return false
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
  const lines = dockerfile.replaceAll('\r\n', '\n').replaceAll('\\\n', ' ').split('\n')
  for (const line of lines) {
    const [instruction = '', ...words] = line.trim().split(/\s+/)
    if (instruction.toUpperCase() !== 'ARG') continue
    for (const word of words) {
      const name = word.split('=')[0] ?? ''
      if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) names.add(name)
    }
  }
  return names
}
