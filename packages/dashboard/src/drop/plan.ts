// What a drop would deploy: its files, what the platform will make of them, and what is probably wrong with them. The user
// sees this before anything is sent.
import { adviseOn, type SiteFiles, serverFrameworks } from '@svc/contract/project'
import { type Extent, ignoreFile, ignoreRules, totalBytes, unchangedPath } from '@svc/contract/site'
import type { Collection } from '../upload/collect.ts'
import { type SiteFile, selectFiles } from '../upload/selection.ts'

export interface Plan {
  /** The name of the folder or archive that was dropped. Empty for single files. */
  folder: string
  files: SiteFile[]
  bytes: number
  /** The server app that the platform will start. `undefined` for a static site. */
  app: { name: string; start: string } | undefined
  /** Likely mistakes. A plan without any may be deployed without a question. */
  warnings: string[]
  /** Whether it is a static site whose front page would be a 404. */
  lacksFrontPage: boolean
  /** A folder of the drop that the user probably meant. */
  output: string | undefined
}

/** Throws a Refusal if the platform would not take the files. */
export async function planFor({ folder, files: candidates }: Collection): Promise<Plan> {
  // That path is the platform's: it holds the list of files that an upload leaves out.
  const own = candidates.filter(({ path }) => path !== unchangedPath)
  const files = selectFiles(own, folder, await extentOf(own))
  const { app, warnings, output } = await findMistakes(files)
  // A rule may serve another file as the front page.
  const lacksFrontPage = !app && !files.some(({ path }) => path === 'index.html' || path === '_redirects')
  return {
    folder,
    files,
    bytes: totalBytes(files),
    app,
    warnings,
    lacksFrontPage,
    output: output ?? (lacksFrontPage ? onlySite(files) : undefined),
  }
}

/** With the rules of the .svcignore that was dropped, if there is one. */
async function extentOf(candidates: readonly SiteFile[]): Promise<Extent> {
  const rules = candidates.find(({ path }) => path === ignoreFile)
  return { nodeModules: false, ...(rules && { ignores: ignoreRules([await rules.file.text()]) }) }
}

/** The folder at the top that holds a site, if there is exactly one. */
function onlySite(files: readonly SiteFile[]): string | undefined {
  const folders = files.flatMap(({ path }) => {
    const [folder = '', file, ...deeper] = path.split('/')
    return file === 'index.html' && deeper.length === 0 ? [folder] : []
  })
  return folders.length === 1 ? folders[0] : undefined
}

/** What is left if only one folder of the drop is deployed. */
export function onlyFolder({ folder, files }: Collection, within: string): Collection {
  const prefix = `${within}/`
  return {
    folder,
    files: files
      .filter(({ path }) => path.startsWith(prefix))
      .map(file => ({ ...file, path: file.path.slice(prefix.length) })),
  }
}

async function findMistakes(files: SiteFile[]): Promise<Pick<Plan, 'app' | 'warnings' | 'output'>> {
  const byPath = new Map(files.map(({ path, file }) => [path, file]))
  const site: SiteFiles = {
    paths: () => byPath.keys(),
    sizeOf: path => byPath.get(path)?.size,
    text: async path => (await byPath.get(path)?.text()) ?? '',
  }
  // Browsers show neither links nor the folders that hold them, so some apps need the command line.
  const { app, advice, warnings, lacksModules } = await adviseOn(site, (folder, needsModules) =>
    needsModules ? `svc deploy ${folder} --node-modules` : `the folder ${folder}`,
  )
  const found = [...advice.map(({ text }) => text), ...warnings]
  if (lacksModules)
    found.push(
      'The dashboard uploads neither node_modules nor symbolic links. If the app needs them, run: svc deploy --node-modules',
    )
  const advised = advice.find(({ output }) => output)?.output
  return {
    app: app && { name: serverFrameworks[app.framework].name, start: describeCommand(app.command) },
    warnings: found,
    output: advised && !advised.needsModules ? advised.folder : undefined,
  }
}

/** A command that the user wrote runs in a shell; its text is the last argument. */
const describeCommand = (command: readonly string[]): string =>
  command[0] === '/bin/sh' && command[1] === '-c' ? (command[2] ?? '') : command.join(' ')
