// Finds what will be different here from the sources, beyond the configuration of the other platform.
import { isInjected, variableProblem } from '@svc/contract/dotenv'
import { type Framework, frameworks } from '@svc/contract/project'
import { checkAdapters, isServerBuild } from './frameworks.ts'
import { listed } from './functions.ts'
import type { Imported } from './imported.ts'
import type { PackageFacts } from './package-json.ts'
import type { ProjectFiles } from './project-files.ts'
import { checkServices } from './services.ts'

/** Programs that the build machine may lack, and the npm packages that contain them. */
const buildTools: Record<string, readonly string[]> = {
  ...Object.fromEntries(
    frameworks.flatMap(({ tool, programs, packages }) =>
      tool ? programs.map(program => [program, packages]) : [],
    ),
  ),
  bundle: [],
  python: [],
  python3: [],
  pip: [],
  poetry: [],
  go: [],
  cargo: [],
  composer: [],
  php: [],
  deno: ['deno'],
  flutter: [],
}

/** Returns whether the build is a server. */
export function checkSources(
  files: ProjectFiles,
  imported: Imported,
  framework: Framework | undefined,
  facts: PackageFacts,
): boolean {
  const root = imported.build.root_dir ?? ''
  const at = (path: string) => (root === '' ? path : `${root}/${path}`)
  const config = framework?.config?.files.map(at).find(path => files.hasFile(path))
  const text = config === undefined ? '' : (files.text(config) ?? '')
  const isServer = framework !== undefined && isServerBuild(framework, facts, text)
  checkServices(facts, at('package.json'), imported.findings)
  if (framework) checkAdapters(framework, facts, at('package.json'), imported.findings)
  if (framework && config !== undefined) checkConfig(framework, config, text, isServer, imported)
  checkTools(imported, facts)
  if (facts.node !== undefined)
    imported.findings.note(
      at('package.json'),
      `engines.node: ${facts.node}. The platform takes a version that fits; 'svc projects node' lists what it has.`,
    )
  if (isServer) keepRulesOfServers(imported)
  else dropRewritesToFunctions(imported)
  checkLimits(imported)
  checkVariables(imported)
  return isServer
}

/** The file is a program, which an import does not run. */
function checkConfig(
  { name, config }: Framework,
  path: string,
  text: string,
  isServer: boolean,
  { findings }: Imported,
): void {
  const calls = new Set([...text.matchAll(/\b(\w{1,50})\s?\(/g)].map(([, called]) => called))
  const found = config?.rules.filter(rule => calls.has(rule)) ?? []
  if (found.length > 0 && isServer)
    findings.note(path, `${found.join(', ')}: ${name} applies them itself, so they are not translated.`)
  else if (found.length > 0)
    findings.warn(
      path,
      `${found.join(', ')}: ${name} leaves them out of a static export, and 'svc import' runs no program. Add them to public/_redirects and public/_headers.`,
    )
  if (isServer && config && !config.advice.unless.test(text)) findings.note(path, config.advice.text)
}

function checkTools({ build, findings }: Imported, facts: PackageFacts): void {
  const command = build.build_cmd ?? facts.buildScript ?? ''
  for (const word of new Set(command.split(/&&|\|\||;|\|/).map(part => part.trim().split(/\s+/)[0] ?? '')))
    if (Object.hasOwn(buildTools, word) && !buildTools[word]!.some(name => facts.dependencies.has(name))) {
      const [, ...names] = ['', ...buildTools[word]!]
      const remedy = names.length > 0 ? `Add the npm package ${names.at(-1)}, or build` : 'Build'
      findings.warn(
        'build command',
        `It runs ${word}, which the machine that builds may not have. ${remedy} on your own machine and run 'svc deploy ${build.output_dir ?? '<folder>'}'.`,
      )
    }
}

/** In a server deployment the app answers: rules can only redirect. */
function keepRulesOfServers(imported: Imported): void {
  const shown = imported.redirects.filter(line => /\s(?:200|404)!?$/.test(line))
  if (shown.length > 0)
    imported.findings.warn(
      'rewrites',
      `${shown.length === 1 ? 'One rewrite is' : `${shown.length} rewrites are`} left out: this project builds a server, and there the app answers. Put them into the configuration of the framework: ${sourcesOf(shown)}`,
    )
  imported.redirects = imported.redirects.filter(line => !shown.includes(line))
  if (imported.headers.length > 0)
    imported.findings.warn(
      'headers',
      'This project builds a server: _headers applies to its static files. For the pages of the app set them in the framework.',
    )
}

/** A static site has no functions that could answer. */
function dropRewritesToFunctions(imported: Imported): void {
  const isLost = (line: string) => /\s\/(?:api|_vercel)\/\S*\s200!?$/.test(line) && !isFence(line)
  const lost = imported.redirects.filter(isLost)
  if (lost.length === 0) return
  imported.findings.warn(
    'rewrites',
    `Left out, since they lead to functions, and none runs here: ${sourcesOf(lost)}`,
  )
  imported.redirects = imported.redirects.filter(line => !isLost(line))
}

/** `/api/* /api/:splat 200` shows the files that are there. */
const isFence = (line: string): boolean => {
  const [from = '', to = ''] = line.split(' ')
  return from.replace(/\*$/, ':splat') === to
}

const sourcesOf = (lines: readonly string[]): string => listed(lines.map(line => line.split(' ')[0]!))

const limits = { plain: 2_000, dynamic: 100, headerPaths: 200 }

function checkLimits({ redirects, headers, findings }: Imported): void {
  const dynamic = redirects.filter(line => /[*]|:[A-Za-z]|^https?:/.test(line.split(' ')[0] ?? '')).length
  if (dynamic > limits.dynamic)
    findings.warn(
      'redirects',
      `${dynamic} rules have a wildcard, a placeholder or a host; the platform applies the first ${limits.dynamic} of them.`,
    )
  if (redirects.length - dynamic > limits.plain)
    findings.warn(
      'redirects',
      `There are ${redirects.length - dynamic} plain rules; the platform applies the first ${limits.plain} of them.`,
    )
  if (headers.length > limits.headerPaths)
    findings.warn(
      'headers',
      `There are ${headers.length} paths; the platform applies the first ${limits.headerPaths} of them.`,
    )
}

function checkVariables(imported: Imported): void {
  const { variables, secrets, findings } = imported
  const skipped = [...variables.keys(), ...secrets].filter(isInjected)
  for (const key of skipped) {
    variables.delete(key)
    secrets.delete(key)
  }
  if (skipped.length > 0)
    findings.note('variables', `Skipped, since a platform sets them: ${[...new Set(skipped)].join(', ')}`)
  for (const variable of [...variables.values()]) {
    const problem = variableProblem(variable)
    if (problem === undefined) continue
    variables.delete(variable.key)
    findings.warn(variable.source, `${problem}. It is left out.`)
  }
}
