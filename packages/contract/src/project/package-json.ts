// Reads the parts of a package.json that say what a folder is. An upload may contain anything, so every type is checked.
import { readSmall, type SiteFiles } from './files.ts'

export interface PackageJson {
  name: string | undefined
  main: string | undefined
  scripts: Map<string, string>
  /** With those that are optional. */
  dependencies: Set<string>
  devDependencies: Set<string>
  optionalDependencies: Set<string>
  /** Without those that it calls optional. */
  peerDependencies: Set<string>
  /** The patterns of a workspace's packages, such as `apps/*`. `undefined` if it is no workspace. */
  workspaces: string[] | undefined
  /** Such as `pnpm@9.15.0`. */
  packageManager: string | undefined
  /** The required version of Node.js. */
  node: string | undefined
  /** The value of `svc.start`, unchecked. */
  svcStart: unknown
  /** The whole file, unchecked. */
  fields: Readonly<Record<string, unknown>>
}

/** `undefined` if there is no such file, or if it is not JSON. */
export async function readPackageJson(site: SiteFiles): Promise<PackageJson | undefined> {
  return parsePackageJson(await readSmall(site, 'package.json'))
}

/** `undefined` if there is no text, or if it is not JSON. */
export function parsePackageJson(text: string | undefined): PackageJson | undefined {
  if (text === undefined) return undefined
  try {
    return packageOf(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch {
    return undefined
  }
}

/** The names of all packages that it depends on, for its build or at run time. */
export const packagesUsedBy = ({ dependencies, devDependencies }: PackageJson): ReadonlySet<string> =>
  new Set([...dependencies, ...devDependencies])

export function packageOf(json: unknown): PackageJson {
  const fields = recordOf(json)
  const { name, main, scripts, dependencies, optionalDependencies, devDependencies } = fields
  const { peerDependencies, peerDependenciesMeta, workspaces, packageManager, engines, svc } = fields
  const peers = recordOf(peerDependenciesMeta)
  const texts = Object.entries(recordOf(scripts)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return {
    name: textOf(name),
    main: textOf(main),
    scripts: new Map(texts),
    dependencies: new Set(Object.keys({ ...recordOf(dependencies), ...recordOf(optionalDependencies) })),
    devDependencies: new Set(Object.keys(recordOf(devDependencies))),
    optionalDependencies: new Set(Object.keys(recordOf(optionalDependencies))),
    peerDependencies: new Set(
      Object.keys(recordOf(peerDependencies)).filter(peer => recordOf(peers[peer]).optional !== true),
    ),
    workspaces: patternsOf(Array.isArray(workspaces) ? workspaces : recordOf(workspaces).packages),
    packageManager: textOf(packageManager),
    node: textOf(recordOf(engines).node),
    svcStart: recordOf(svc).start,
    fields,
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const patternsOf = (list: unknown): string[] | undefined =>
  Array.isArray(list) ? list.filter(it => typeof it === 'string') : undefined

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
