// Reads the parts of package.json that an import uses.
import { buildScript, packagesUsedBy, parsePackageJson } from '@svc/contract/project'
import type { ProjectFiles } from './project-files.ts'

export interface PackageFacts {
  dependencies: ReadonlySet<string>
  buildScript: string | undefined
  /** The required version of Node.js. */
  node: string | undefined
}

export function readPackageFacts(files: ProjectFiles, root: string): PackageFacts {
  const manifest = parsePackageJson(files.text(root === '' ? 'package.json' : `${root}/package.json`))
  const script = manifest && buildScript(manifest.scripts)
  return {
    dependencies: manifest ? packagesUsedBy(manifest) : new Set(),
    buildScript: script === undefined ? undefined : manifest?.scripts.get(script),
    node: manifest?.node,
  }
}
