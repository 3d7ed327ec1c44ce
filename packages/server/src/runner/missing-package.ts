// Recognizes from the last lines of an app that a package was not deployed.
import type { Framework } from '../core/deployments/frameworks.ts'

/** The errors of Node, Bun and Deno. */
const notFound = /\bMODULE_NOT_FOUND\b|\bERR_MODULE_NOT_FOUND\b|Cannot find (?:module|package) ["']/
const named = /Cannot find (?:module|package) ["']([^"'\n]{1,200})["']/

/** Advice for the person who deployed the app. `undefined` if no package is missing. */
export function adviceOnMissingPackage(
  lastLines: string,
  framework: Framework | undefined,
): string | undefined {
  if (framework === undefined || !notFound.test(lastLines)) return undefined
  const name = named.exec(lastLines)?.[1]
  // The app misses a file of its own, not a package.
  if (name !== undefined && /^[./]/.test(name) && !name.includes('node_modules/')) return undefined
  const what = name === undefined ? 'A package that the app needs' : `The package '${name}'`
  return `${what} is not part of the deployment. In the folder of the project, run 'svc deploy --build': it deploys the server with the packages that it imports. Or ${framework.missingPackage}`
}
