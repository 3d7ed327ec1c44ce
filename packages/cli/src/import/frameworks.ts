// The framework of the project that is imported, and whether its build is a server here.
import { type Framework, frameworks, planProject } from '@svc/contract/project'
import { diskFiles } from '@svc/contract/project/disk'
import type { Findings } from './findings.ts'
import type { PackageFacts } from './package-json.ts'
import type { ProjectFiles } from './project-files.ts'

/** `told` is the name that the other platform has for the framework. */
export async function findFramework(
  files: ProjectFiles,
  root: string,
  told: string | undefined,
): Promise<Framework | undefined> {
  const named = frameworks.find(({ otherNames }) => told !== undefined && otherNames?.includes(told))
  return named ?? (await planProject(diskFiles(files.root), { dir: root })).frameworks[0]
}

export function isServerBuild(
  { makesServer, isStatic }: Framework,
  facts: PackageFacts,
  config: string,
): boolean {
  if (isStatic?.script?.test(facts.buildScript ?? '') || isStatic?.config?.test(config)) return false
  if (makesServer === undefined) return false
  if (makesServer === true) return true
  const hasAny = (packages: readonly string[]) => packages.some(pack => facts.dependencies.has(pack))
  return 'with' in makesServer ? hasAny(makesServer.with) : !hasAny(makesServer.without)
}

export function checkAdapters(
  { adapters = {} }: Framework,
  facts: PackageFacts,
  path: string,
  findings: Findings,
): void {
  for (const [adapter, instead] of Object.entries(adapters))
    if (facts.dependencies.has(adapter))
      findings.warn(path, `${adapter} builds for another platform. Use ${instead}.`)
}
