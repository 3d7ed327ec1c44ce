// Recognizes from the last lines of an app that a package was not deployed, or that a program is not on the machine.
import type { Framework } from '../core/deployments/frameworks.ts'

/** The errors of Node, Bun and Deno. */
const notFound = /\bMODULE_NOT_FOUND\b|\bERR_MODULE_NOT_FOUND\b|Cannot find (?:module|package) ["']/
const named = /Cannot find (?:module|package) ["']([^"'\n]{1,200})["']/

/** What a shell says. */
const noProgram = /(?:^|\s)([\w.-]{1,40}): (?:command )?not found/m

/** Programs that run apps, and where they come from. */
const programs: Readonly<Record<string, string>> = {
  bun: "Add its package to the dependencies ('npm install bun')",
  deno: "Add a package.json with its package ('npm install deno')",
  python3: 'The operator can install it (apt-get install python3)',
  php: 'The operator can install it (apt-get install php-cli)',
  ruby: 'The operator can install it (apt-get install ruby)',
  java: 'The operator can install it (apt-get install default-jre-headless)',
}

/** Advice for the person who deployed the app. `undefined` if no program is missing. */
export function adviceOnMissingProgram(lastLines: string): string | undefined {
  const name = noProgram.exec(lastLines)?.[1] ?? ''
  if (!Object.hasOwn(programs, name)) return undefined
  return `The program ${name} is not on the machine that runs the app. ${programs[name]}, or with containers use an image that has it (SVCD_RUNTIME_IMAGE). Or add a Dockerfile, and push it to a platform with a container engine.`
}

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
