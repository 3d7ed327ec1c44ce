// Single-page apps: sites with one page, whose other paths exist only in the browser. Without a rule, a reload there is a 404.
import type { ProjectFiles } from './files.ts'

const rulesFile = '_redirects'
const rule = '/*    /index.html    200'

/** Only so much of the scripts is searched. */
const scriptsAtMost = 40
const scriptBytes = 4 * 1024 * 1024

export const singlePageHint =
  'This looks like a single-page app: a reload of a path such as /settings is a 404. Add "spa": true to svc.json, and every path without a file shows index.html. With "spa": false you are not told again.'

/** Routers in the browser listen to this event of the back button. */
const routerSign = 'popstate'

/** Whether the only page is index.html, a script has a router, and no rule says what other paths show. */
export async function looksLikeSinglePage(
  paths: Iterable<string>,
  read: ProjectFiles['read'],
): Promise<boolean> {
  const all = [...paths]
  const pages = all.filter(path => /\.html?$/i.test(path))
  if (pages.length !== 1 || pages[0] !== 'index.html') return false
  if (coversAll(await read(rulesFile))) return false
  const scripts = all.filter(path => /\.m?js$/.test(path)).slice(0, scriptsAtMost)
  for (const script of scripts) if ((await read(script, scriptBytes))?.includes(routerSign)) return true
  return false
}

/** The file with the rules of the site, and the one of a single-page app at their end. `undefined` if they have one already. */
export async function singlePageRules(
  read: ProjectFiles['read'],
): Promise<{ path: string; text: string } | undefined> {
  const own = await read(rulesFile)
  if (coversAll(own)) return undefined
  const before = own === undefined || own === '' || own.endsWith('\n') ? (own ?? '') : `${own}\n`
  return { path: rulesFile, text: `${before}${rule}\n` }
}

const coversAll = (rules: string | undefined): boolean =>
  (rules ?? '').split('\n').some(line => /^\/\*\s/.test(line.trim()))
