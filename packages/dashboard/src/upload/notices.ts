// What a person should know about the files they chose, though nothing is wrong with deploying them.
import type { SiteFile } from './selection.ts'

const secrets = /(^|\/)\.env(\.(?!example$|sample$|template$)[^/]+)?$/

export async function noticesFor(files: SiteFile[]): Promise<string[]> {
  const notices = files
    .filter(({ path }) => secrets.test(path))
    .map(({ path }) => `${path} is part of the upload. Keep secrets out of what you deploy.`)
  if (files.some(({ path }) => path === 'index.html')) return notices
  const missing = (await needsBuild(files))
    ? 'There is a build script in package.json and no index.html. svc builds nothing: deploy the output of the build.'
    : 'There is no index.html at the top level, so the front page of the site is a 404.'
  return [...notices, missing]
}

async function needsBuild(files: SiteFile[]): Promise<boolean> {
  const manifest = files.find(({ path }) => path === 'package.json')
  if (!manifest) return false
  try {
    const { scripts } = JSON.parse(await manifest.file.text()) as { scripts?: { build?: unknown } }
    return typeof scripts?.build === 'string'
  } catch {
    // A package.json that cannot be read says nothing about a build.
    return false
  }
}
