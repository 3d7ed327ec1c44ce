// Chooses the folder of the sources for `_redirects` and `_headers`, so that the build puts them at the root of its output.
import { dirname } from 'node:path'
import type { Framework } from '@svc/contract/project'
import { shellWord } from '../shell-word.ts'
import type { BuildSettings, Imported } from './imported.ts'
import type { PackageFacts } from './package-json.ts'
import type { ProjectFiles } from './project-files.ts'

interface Placement {
  /** Relative to the root directory of the build. Empty for that directory itself. */
  folder: string
  /** If set, the build does not copy the files, so the build command must copy them to this folder. */
  copyTo: string | undefined
  /** The output folder is not known, so the user must place the files. */
  isUnsure: boolean
}

const ruleNames = ['_redirects', '_headers']

export function placeRules(
  files: ProjectFiles,
  { build }: Imported,
  framework: Framework | undefined,
  facts: PackageFacts,
): Placement {
  const root = build.root_dir ?? ''
  const at = (folder: string) => [root, folder].filter(Boolean).join('/')
  const output = build.output_dir ?? usualOutput(framework, folder => files.hasFolder(at(folder)))
  const found = (folder: string): Placement => ({ folder, copyTo: undefined, isUnsure: false })
  if (!hasBuild(build, facts, framework)) return found(output ?? '')
  const sources = [framework?.assets, 'public', 'static'].filter(
    folder => folder !== undefined && folder !== output,
  ) as string[]
  const withRules = sources.find(folder => ruleNames.some(name => files.hasFile(`${at(folder)}/${name}`)))
  const folder = withRules ?? framework?.assets ?? sources.find(folder => files.hasFolder(at(folder)))
  return folder === undefined ? { folder: '', copyTo: output, isUnsure: output === undefined } : found(folder)
}

/** Of several possible folders, the first whose parent exists. */
function usualOutput(
  framework: Framework | undefined,
  hasFolder: (folder: string) => boolean,
): string | undefined {
  return framework?.sites.find(folder => hasFolder(dirname(folder))) ?? framework?.sites[0]
}

const hasBuild = (
  { build_cmd }: BuildSettings,
  { buildScript }: PackageFacts,
  framework: Framework | undefined,
): boolean =>
  (build_cmd ?? buildScript ?? (framework?.packages.length === 0 ? framework.name : undefined)) !== undefined

/** `npm run build && cp _redirects _headers dist/` */
export function copyingCommand(
  command: string | undefined,
  names: readonly string[],
  folder: string,
): string {
  const copy = `cp ${names.join(' ')} ${shellWord(folder)}/`
  const build = command ?? 'npm run build'
  return build.endsWith(` && ${copy}`) ? build : `${build} && ${copy}`
}
