// The plan of an import: what it will create and write. Making a plan changes nothing.
import { checkSources } from './checks.ts'
import { checkExistingRedirects } from './existing-rules.ts'
import { findFramework } from './frameworks.ts'
import type { Imported } from './imported.ts'
import { readPackageFacts } from './package-json.ts'
import { copyingCommand, placeRules } from './placement.ts'
import type { ProjectFiles } from './project-files.ts'
import { findRepository, type Repository } from './repository.ts'
import { planRuleFile, type RuleFile } from './rules/rule-files.ts'
import { headerLines } from './rules/rule-lines.ts'

export interface Plan {
  imported: Imported
  project: string
  org: string | undefined
  framework: string | undefined
  isServer: boolean
  ruleFiles: RuleFile[]
  repository: Repository | undefined
  /** The production branch. Undefined to use the default branch of the git host. */
  branch: string | undefined
}

interface Wanted {
  project: string
  org: string | undefined
  branch: string | undefined
}

export async function makePlan(files: ProjectFiles, imported: Imported, wanted: Wanted): Promise<Plan> {
  const { build, findings } = imported
  const root = build.root_dir ?? ''
  const facts = readPackageFacts(files, root)
  const framework = await findFramework(files, root, imported.framework)
  const isServer = checkSources(files, imported, framework, facts)
  // Vercel publishes public/ of a project without a framework.
  if (
    imported.platform === 'vercel' &&
    !framework &&
    !facts.buildScript &&
    files.hasFolder([root, 'public'].filter(Boolean).join('/'))
  )
    build.output_dir ??= 'public'
  const { folder, copyTo, isUnsure } = placeRules(files, imported, framework, facts)
  const at = (name: string) => [root, folder, name].filter(Boolean).join('/')
  const existing = files.text(at('_redirects'))
  if (existing !== undefined) checkExistingRedirects(at('_redirects'), existing, findings)
  const ruleFiles = [
    planRuleFile(files, at('_redirects'), imported.redirects),
    planRuleFile(files, at('_headers'), imported.headers.flatMap(headerLines)),
  ].filter(file => file !== undefined)
  for (const { path } of ruleFiles)
    if (path.split('/').includes('..'))
      findings.stop(
        path,
        "The file is outside of this directory, where nothing is written. Run 'svc import' in a directory that contains it.",
      )
  const names = ruleFiles.map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
  if (names.length > 0 && copyTo !== undefined)
    build.build_cmd = copyingCommand(build.build_cmd, names, copyTo)
  if (names.length > 0 && isUnsure)
    findings.warn(
      names.join(', '),
      'The folder that the build makes is not known. Let the build copy the files to its top.',
    )
  const repository = await findRepository(files.root)
  // The directory may itself be a folder of the repository.
  if (repository?.folder) build.root_dir = [repository.folder, root].filter(Boolean).join('/')
  const branch = wanted.branch ?? imported.branch ?? repository?.branch
  return { imported, ...wanted, framework: framework?.name, isServer, ruleFiles, repository, branch }
}
