// What about a site looks like a mistake. Nothing here stops a deploy.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteFile } from './list.ts'

const secrets = /(^|\/)\.env(\.(?!example$|sample$|template$)[^/]+)?$/

export function doubts(dir: string, files: SiteFile[]): string[] {
  const found: string[] = []
  if (looksUnbuilt(dir, files))
    found.push(
      "There is a build script in package.json and no index.html. svc builds nothing: deploy the build's output.",
    )
  if (lacksModules(dir, files))
    found.push(
      'This looks like a server, and its node_modules are left out. If it needs them, deploy with --node-modules.',
    )
  for (const { path } of files)
    if (secrets.test(path)) found.push(`${path} is part of the upload. Keep secrets out of what you deploy.`)
  return found
}

/** Of a build that runs: what it was made with has put the modules there that it needs. */
function lacksModules(dir: string, files: SiteFile[]): boolean {
  const has = (path: string) => files.some(file => file.path === path)
  const isServer =
    has('Procfile') ||
    has('nitro.json') ||
    (has('server.js') && files.some(({ path }) => path.startsWith('.next/')))
  const places = ['node_modules', 'server/node_modules']
  const isLeftOut = !files.some(({ path }) => /(^|\/)node_modules\//.test(path))
  return isServer && isLeftOut && places.some(place => existsSync(join(dir, place)))
}

function looksUnbuilt(dir: string, files: SiteFile[]): boolean {
  const has = (path: string) => files.some(file => file.path === path)
  if (has('index.html') || !has('package.json')) return false
  try {
    const { scripts } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
    return typeof scripts?.build === 'string'
  } catch {
    // A package.json that cannot be read is no reason to doubt anything; packing will tell if it matters.
    return false
  }
}
