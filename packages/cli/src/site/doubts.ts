// What about a site looks like a mistake. Nothing here stops a deploy.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteFile } from './list.ts'

const secrets = /(^|\/)\.env(\.(?!example$|sample$|template$)[^/]+)?$/

export function doubts(dir: string, files: SiteFile[]): string[] {
  const found: string[] = []
  if (looksUnbuilt(dir, files))
    found.push(
      "There is a build script in package.json and no index.html. svc builds nothing: deploy the build's output.",
    )
  for (const { path } of files)
    if (secrets.test(path)) found.push(`${path} is part of the upload. Keep secrets out of what you deploy.`)
  return found
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
