// Functions of a Vercel project. None of them runs here by itself: those for Node.js can move into a server app, those of
// another runtime stop the import.
import { extname } from 'node:path'
import type { Findings } from '../findings.ts'
import { listed, moveFunctions } from '../functions.ts'
import type { Imported } from '../imported.ts'
import type { ProjectFiles } from '../project-files.ts'
import { fieldsOf, listOf, textOf } from '../untrusted.ts'

const nodeExtensions = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.jsx', '.tsx']

/** Runtimes that Vercel knows by the extension of a file in `api/`. */
const otherRuntimes: Record<string, string> = {
  '.py': 'Python',
  '.go': 'Go',
  '.rb': 'Ruby',
  '.rs': 'Rust',
  '.php': 'PHP',
  '.sh': 'Bash',
}

/** The old builders, and what an import does with their output. */
const builders: Record<string, 'site' | 'node'> = {
  static: 'site',
  'static-build': 'site',
  next: 'site',
  nuxt: 'site',
  node: 'node',
  'node-server': 'node',
}

/** Files in `api/` are functions, unless Next.js or another framework owns the folder. */
export function checkApiFolder(files: ProjectFiles, root: string, findings: Findings): void {
  const folder = root === '' ? 'api' : `${root}/api`
  // Files whose names begin with _ or . are not functions. Functions import them.
  const all = files
    .list(folder)
    .filter(path => !path.split('/').some(part => part.startsWith('_') || part.startsWith('.')))
  for (const [extension, runtime] of Object.entries(otherRuntimes)) {
    const some = all.filter(path => extname(path) === extension)
    if (some.length > 0)
      findings.stop(
        folder,
        `${listed(some)} need${some.length === 1 ? 's' : ''} the ${runtime} function runtime, which this platform does not have. Rewrite as a server app or remove the files, then run 'svc import' again.`,
      )
  }
  const node = all.filter(path => nodeExtensions.includes(extname(path)) && !path.endsWith('.d.ts'))
  if (node.length > 0)
    findings.warn(folder, `${listed(node)} will not run: there are no functions here. ${moveFunctions}`)
}

/** Reads `functions` of vercel.json: limits of functions, and runtimes that others than Vercel made. */
export function checkFunctions(file: string, value: unknown, findings: Findings): void {
  for (const [pattern, item] of Object.entries(fieldsOf(value))) {
    const { runtime, ...limits } = fieldsOf(item)
    const where = `${file} functions (${pattern})`
    const name = textOf(runtime)
    if (name !== undefined && !isNodeRuntime(name))
      findings.stop(
        where,
        `The function runtime ${name} is not supported. Rewrite these functions as a server app or remove them, then run 'svc import' again.`,
      )
    else if (Object.keys(limits).length > 0)
      findings.note(
        where,
        `${Object.keys(limits).join(', ')}: limits of functions have no counterpart. A server app has the limits of the platform.`,
      )
  }
}

const isNodeRuntime = (name: string): boolean =>
  /^(?:@vercel\/node|@now\/node|nodejs|edge|experimental-edge)/.test(name)

export function checkBuilds(file: string, value: unknown, { build, findings }: Imported): void {
  for (const item of listOf(value)) {
    const { src, use, config } = fieldsOf(item)
    const where = `${file} builds (${textOf(src) ?? ''})`
    const builder = (textOf(use) ?? '').replace(/^@(?:vercel|now)\//, '').split('@')[0]!
    const becomes = Object.hasOwn(builders, builder) ? builders[builder] : undefined
    if (becomes === undefined)
      findings.stop(
        where,
        `The builder ${textOf(use) ?? '(none)'} is not supported. Replace what it builds by a server app or remove it, then run 'svc import' again.`,
      )
    else if (becomes === 'node') findings.warn(where, `will not run as a function. ${moveFunctions}`)
    else build.output_dir ??= textOf(fieldsOf(config).distDir)
  }
}
