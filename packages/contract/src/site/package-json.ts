// Reads the parts of a package.json that say what a folder is. An upload may contain anything, so every type is checked.
import { readSmall, type SiteFiles } from './files.ts'

export interface PackageJson {
  main: string | undefined
  scripts: Map<string, string>
  /** With those that are optional. */
  dependencies: Set<string>
  devDependencies: Set<string>
  /** The value of `svc.start`, unchecked. */
  svcStart: unknown
}

/** `undefined` if there is no such file, or if it is not JSON. */
export async function readPackageJson(site: SiteFiles): Promise<PackageJson | undefined> {
  const text = await readSmall(site, 'package.json')
  if (text === undefined) return undefined
  try {
    return parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

function parse(json: unknown): PackageJson {
  const { main, scripts, dependencies, optionalDependencies, devDependencies, svc } = recordOf(json)
  const texts = Object.entries(recordOf(scripts)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return {
    main: typeof main === 'string' ? main : undefined,
    scripts: new Map(texts),
    dependencies: new Set(Object.keys({ ...recordOf(dependencies), ...recordOf(optionalDependencies) })),
    devDependencies: new Set(Object.keys(recordOf(devDependencies))),
    svcStart: recordOf(svc).start,
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
