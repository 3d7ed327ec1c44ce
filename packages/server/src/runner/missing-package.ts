// An app that needs a package which was not deployed: recognised by what it wrote last.
import type { Framework } from '../core/apps/frameworks.ts'

/** As Node, Bun and Deno's Node mode name it. */
const notFound = /\bMODULE_NOT_FOUND\b|\bERR_MODULE_NOT_FOUND\b|Cannot find (?:module|package) ["']/
const named = /Cannot find (?:module|package) ["']([^"'\n]{1,200})["']/

/** What to do, in words for those who deployed it; undefined where no package is missing. */
export function adviceOnMissingPackage(
  lastLines: string,
  framework: Framework | undefined,
): string | undefined {
  if (framework === undefined || !notFound.test(lastLines)) return undefined
  const name = named.exec(lastLines)?.[1]
  // A file of its own that is missing is no matter of packages.
  if (name !== undefined && /^[./]/.test(name) && !name.includes('node_modules/')) return undefined
  const what = name === undefined ? 'A package that the app needs' : `The package '${name}'`
  return `${what} is not part of the deployment. ${framework.missingPackage}`
}
