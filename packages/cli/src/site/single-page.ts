// The rule of a single-page app: added if svc.json asks for it. If the site looks like one and svc.json says nothing, the user is
// asked on a terminal, and told elsewhere.
import { resolve } from 'node:path'
import { looksLikeSinglePage, singlePageHint, singlePageRules } from '@svc/contract/project'
import { diskFiles } from '@svc/contract/project/disk'
import { linkedProject, saveSinglePage, singlePageSetting } from '../link.ts'
import { notice } from '../output.ts'
import { canAsk, confirm } from '../prompt.ts'
import type { SiteFile } from './list.ts'
import type { AddedFile } from './pack.ts'

interface SinglePage {
  /** The file with the rules, which replaces the one of the directory. */
  rules?: AddedFile
  /** What to say after the upload. */
  hint?: string
}

export async function singlePageOf(
  dir: string,
  files: readonly SiteFile[],
  { project, yes }: { project: string; yes: boolean },
): Promise<SinglePage> {
  // The svc.json of another project says nothing about this one.
  const isLinked = linkedProject() === project
  const chosen = isLinked ? singlePageSetting() : undefined
  const { read } = diskFiles(resolve(dir))
  if (chosen === true) return await withRules(read)
  const paths = files.map(({ path }) => path)
  if (chosen === false || !(await looksLikeSinglePage(paths, read))) return {}
  if (!isLinked || yes || !canAsk()) return { hint: singlePageHint }
  notice('This looks like a single-page app: a reload of a path such as /settings would be a 404.')
  const isWanted = await confirm('Show index.html for every path without a file?', true)
  saveSinglePage(isWanted)
  notice(`Saved "spa": ${isWanted} in svc.json.`)
  return isWanted ? await withRules(read) : {}
}

async function withRules(read: ReturnType<typeof diskFiles>['read']): Promise<SinglePage> {
  const rules = await singlePageRules(read)
  return rules ? { rules: { path: rules.path, bytes: Buffer.from(rules.text) } } : {}
}
