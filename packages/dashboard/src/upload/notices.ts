// What the user should know about the chosen files before they are deployed.
import { adviseOn, type SiteFiles } from '@svc/contract/site'
import type { SiteFile } from './selection.ts'

export async function noticesFor(files: SiteFile[]): Promise<string[]> {
  const byPath = new Map(files.map(({ path, file }) => [path, file]))
  const site: SiteFiles = {
    paths: () => byPath.keys(),
    sizeOf: path => byPath.get(path)?.size,
    text: async path => (await byPath.get(path)?.text()) ?? '',
  }
  // Browsers show neither links nor the folders that hold them, so some apps need the command line.
  const { advice, lacksModules } = await adviseOn(site, (folder, needsModules) =>
    needsModules ? `svc deploy ${folder} --node-modules` : `the folder ${folder}`,
  )
  const notices = advice.map(({ text }) => text)
  if (lacksModules)
    notices.push(
      'The dashboard uploads neither node_modules nor symbolic links. If the app needs them, run: svc deploy --node-modules',
    )
  return notices
}
