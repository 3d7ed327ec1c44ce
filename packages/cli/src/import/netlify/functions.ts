// Functions of a Netlify site. None of them runs here by itself: those for Node.js can move into a server app; Go binaries
// and edge functions stop the import.
import { extname } from 'node:path'
import type { Findings } from '../findings.ts'
import { listed, moveFunctions } from '../functions.ts'
import type { ProjectFiles } from '../project-files.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../untrusted.ts'

const nodeExtensions = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']

export function checkNetlifyFunctions(
  files: ProjectFiles,
  root: string,
  config: Fields,
  findings: Findings,
): void {
  const build = fieldsOf(config.build)
  const functions =
    textOf(fieldsOf(config.functions).directory) ?? textOf(build.functions) ?? 'netlify/functions'
  const edge = textOf(build.edge_functions) ?? 'netlify/edge-functions'
  const at = (folder: string) =>
    [root, folder].filter(Boolean).join('/').replace(/^\.\//, '').replace(/\/$/, '')
  checkFunctionFiles(at(functions), files.list(at(functions), 2), findings)
  checkEdgeFunctions(at(edge), files.list(at(edge), 2), config, findings)
  checkSchedules(config, findings)
}

function checkFunctionFiles(folder: string, all: readonly string[], findings: Findings): void {
  const node = all.filter(path => nodeExtensions.includes(extname(path)) && !path.endsWith('.d.ts'))
  const go = all.filter(path => extname(path) === '.go')
  const rust = all.filter(path => extname(path) === '.rs')
  for (const [runtime, some] of [
    ['Go', go],
    ['Rust', rust],
  ] as const)
    if (some.length > 0)
      findings.stop(
        folder,
        `${listed(some)}: the ${runtime} function runtime is not supported. Rewrite as a server app or remove the files, then run 'svc import' again.`,
      )
  if (node.length > 0)
    findings.warn(folder, `${listed(node)} will not run: there are no functions here. ${moveFunctions}`)
}

/** Edge functions run before pages, and often protect them. Without them a site may show private pages. */
function checkEdgeFunctions(
  folder: string,
  files: readonly string[],
  config: Fields,
  findings: Findings,
): void {
  const declared = listOf(config.edge_functions).map(item => textOf(fieldsOf(item).function) ?? '')
  if (files.length + declared.length === 0) return
  findings.stop(
    files.length > 0 ? folder : 'netlify.toml edge_functions',
    `${listed(files.length > 0 ? files : declared)}: edge functions (Deno) are not supported. They may guard pages, so nothing is imported with them. Remove them, then run 'svc import' again.`,
  )
}

function checkSchedules(config: Fields, findings: Findings): void {
  for (const [name, item] of Object.entries(fieldsOf(config.functions))) {
    const schedule = textOf(fieldsOf(item).schedule)
    if (schedule !== undefined)
      findings.warn(
        `netlify.toml functions (${name})`,
        `The scheduled function is not imported: it has no path that could be requested. Once a server app answers one: svc cron add "${cronOf(schedule)}" /path`,
      )
  }
}

const nicknames: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const cronOf = (schedule: string): string =>
  Object.hasOwn(nicknames, schedule) ? nicknames[schedule]! : schedule
