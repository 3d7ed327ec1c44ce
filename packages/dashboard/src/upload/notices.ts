// What a person should know about the files they chose, though nothing is wrong with deploying them.
import type { SiteFile } from './selection.ts'

const envFile = /(^|\/)\.env(\.[^/]*)?$/

export async function noticesFor(files: SiteFile[]): Promise<string[]> {
  const notices = files
    .filter(({ path }) => envFile.test(path))
    .map(({ path }) => `${path} was uploaded. It is never served, but secrets do not belong into a site.`)
  const hasIndex = files.some(({ path }) => path === 'index.html')
  if (hasIndex) return notices
  if (await needsBuild(files))
    notices.push(
      'This looks like a source folder: package.json has a build script. Deploy its output instead.',
    )
  else notices.push('There is no index.html at the top level, so the front page of the site is a 404.')
  return notices
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
