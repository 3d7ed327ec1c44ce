// Reads the parts of package.json that an import uses.
import type { ProjectFiles } from './project-files.ts'
import { fieldsOf, textOf } from './untrusted.ts'

export interface PackageFacts {
  exists: boolean
  dependencies: ReadonlySet<string>
  buildScript: string | undefined
  /** The required version of Node.js. */
  node: string | undefined
}

export function readPackageFacts(files: ProjectFiles, root: string): PackageFacts {
  const path = root === '' ? 'package.json' : `${root}/package.json`
  const text = files.text(path)
  const manifest = fieldsOf(text === undefined ? undefined : parsed(text))
  return {
    exists: text !== undefined,
    dependencies: new Set([
      ...Object.keys(fieldsOf(manifest.dependencies)),
      ...Object.keys(fieldsOf(manifest.devDependencies)),
    ]),
    buildScript: textOf(fieldsOf(manifest.scripts).build),
    node: textOf(fieldsOf(manifest.engines).node),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The package manager says what is wrong with it when the site is built.
  }
}
