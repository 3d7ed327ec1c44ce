// Reads the parts of a repository's package.json that builds need. The file is untrusted.
export interface Manifest {
  name?: unknown
  main?: unknown
  scripts?: Record<string, unknown>
  dependencies?: Record<string, unknown>
  devDependencies?: Record<string, unknown>
  workspaces?: unknown
  packageManager?: unknown
  svc?: { start?: unknown }
}

/** `undefined` if there is no package.json. An invalid file counts as empty, because the package manager reports the error. */
export function readManifest(text: string | undefined): Manifest | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}

export const scriptsOf = (manifest: Manifest | undefined): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(manifest?.scripts ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )

export const scriptOf = (manifest: Manifest | undefined, name: string): string | undefined =>
  scriptsOf(manifest).get(name)

/** The names of all packages that it depends on, for its build or at run time. */
export const dependenciesOf = (manifest: Manifest | undefined): ReadonlySet<string> =>
  new Set([...Object.keys(manifest?.dependencies ?? {}), ...Object.keys(manifest?.devDependencies ?? {})])
