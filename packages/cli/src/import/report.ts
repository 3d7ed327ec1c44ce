// Prints the compatibility report and the plan.
import { bold, clean, count, cyan, dim, print } from '../output.ts'
import { shellWord } from '../shell-word.ts'
import type { Level } from './findings.ts'
import { type ImportedVariable, platformNames } from './imported.ts'
import type { Plan } from './plan.ts'
import type { RuleFile } from './rules/rule-files.ts'

const headings: Record<Level, string> = {
  stop: 'Cannot be imported:',
  warning: 'Will be different:',
  note: 'For your information:',
}

export function printReport({ imported }: Plan, read: ReadonlySet<string>): void {
  const { findings, platform } = imported
  const files = [...read].map(clean)
  print(bold(`Import from ${platformNames[platform]}`))
  print(
    files.length > 0 ? `Read: ${files.join(', ')}` : 'No configuration was found; what is detected is used.',
  )
  print('')
  if (findings.list.length === 0) print('Compatibility: everything is translated.\n')
  for (const level of ['stop', 'warning', 'note'] as const) {
    const some = findings.list.filter(finding => finding.level === level)
    if (some.length === 0) continue
    print(bold(headings[level]))
    for (const { where, text } of some) print(`  - ${where}: ${text}`)
    print('')
  }
  if (findings.omitted > 0) print(`… and ${count(findings.omitted, 'further finding')}.\n`)
}

export function printPlan(plan: Plan): void {
  const { imported, project, org, ruleFiles } = plan
  const { build } = imported
  print(bold('Plan'))
  const rows: [string, string | undefined][] = [
    ['project', project + (org === undefined ? '' : ` in ${org}`)],
    ['framework', plan.framework && `${plan.framework}${plan.isServer ? ' (server app)' : ''}`],
    ['folder', build.root_dir],
    ['install', build.install_cmd],
    ['build', build.build_cmd],
    ['output', build.output_dir],
    ['repository', repositoryWords(plan)],
    ['previews', build.previews === false ? 'off' : undefined],
  ]
  for (const [name, value] of rows) if (value !== undefined) print(`  ${name.padEnd(11)} ${clean(value)}`)
  printVariables([...imported.variables.values()], [...imported.secrets])
  if (imported.crons.length > 0) print(`  ${'crons'.padEnd(11)} ${count(imported.crons.length, 'job')}`)
  for (const { schedule, path } of imported.crons) print(`    ${clean(schedule)}  ${clean(path)}`)
  for (const file of ruleFiles) printRuleFile(file)
}

function repositoryWords({ repository, imported, branch }: Plan): string {
  if (!repository && imported.repository === undefined) return 'none: this directory is in no git repository'
  return `${repository?.github ?? imported.repository ?? 'a new one on this platform'}, branch ${branch ?? 'main'}`
}

function printVariables(variables: readonly ImportedVariable[], secrets: readonly string[]): void {
  if (variables.length > 0) print(`  ${'variables'.padEnd(11)} ${count(variables.length, 'variable')}`)
  for (const { key, scope, source } of variables)
    print(`    ${key} ${dim(`[${scope}] from ${clean(source)}`)}`)
  if (secrets.length > 0)
    print(`  ${'secrets'.padEnd(11)} to be set by you: ${secrets.map(clean).join(', ')}`)
}

const states: Record<RuleFile['state'], string> = {
  new: 'is written:',
  extended: 'exists and keeps its lines; these are added below them:',
  unchanged: 'holds these lines already:',
}
const mostLines = 100

function printRuleFile({ path, lines, state }: RuleFile): void {
  print(`  ${cyan(clean(path))} ${states[state]}`)
  for (const line of lines.slice(0, mostLines)) print(`    ${withoutPasswords(clean(line))}`)
  if (lines.length > mostLines) print(`    … and ${count(lines.length - mostLines, 'more line')}`)
}

const withoutPasswords = (line: string): string => line.replace(/(^\s*basic-auth\s*:).*/i, '$1 [secret]')

/** The steps that users make by hand afterwards. In this order the site stays reachable. */
export function printChecklist({ imported, project }: Plan): void {
  const known = [...new Set(imported.domains)]
  const domains = known.length > 0 ? known.map(domain => shellWord(clean(domain))) : ['<your-domain>']
  print('')
  print(bold('DNS cutover checklist'))
  print(`  1. Deploy, and look at the site at its own URL: svc deploy, or git push; then svc open`)
  print('  2. A day before: lower the TTL of these records to 300 seconds.')
  print('  3. Attach each domain; the command shows the record to create:')
  for (const domain of domains) print(`       svc domains add ${domain} --project ${project}`)
  print('  4. Change the records at your DNS provider. Remove those that point to the old platform.')
  print('  5. Wait for the certificate:')
  for (const domain of domains) print(`       svc domains cert ${domain} --project ${project}`)
  print(
    `  6. When all works: remove the domains at ${platformNames[imported.platform]}, and raise the TTL again.`,
  )
}

/** The report and the plan as data, without the values of variables. */
export function planAsJson({
  imported,
  project,
  org,
  framework,
  isServer,
  ruleFiles,
  repository,
  branch,
}: Plan): object {
  return {
    platform: imported.platform,
    findings: imported.findings.list,
    project,
    org: org ?? null,
    framework: framework ?? null,
    kind: isServer ? 'server' : 'static',
    build: imported.build,
    variables: [...imported.variables.values()].map(({ key, scope, source }) => ({ key, scope, source })),
    secrets: [...imported.secrets],
    crons: imported.crons,
    files: ruleFiles.map(({ path, lines, state }) => ({ path, state, lines: lines.map(withoutPasswords) })),
    repository: repository?.github ?? imported.repository ?? null,
    branch: branch ?? null,
    domains: [...new Set(imported.domains)],
  }
}
