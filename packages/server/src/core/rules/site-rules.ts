// The rules that a deployment brings along: `_redirects` and `_headers`.
import type { PackReader } from '../../ports/packs/pack-reader.ts'
import { frameworkOf } from '../apps/frameworks.ts'
import { type HeaderRules, readHeaders } from './headers.ts'
import { type Redirects, readRedirects } from './redirects.ts'

export interface SiteRules {
  redirects: Redirects
  headers: HeaderRules
  /** Lines that cannot be honoured, for people. */
  warnings: string[]
}

/** What 2,100 long lines take, and some more. */
const maxBytes = 1024 * 1024
const maxWarnings = 50

/**
 * Undefined where the deployment has none. They lie at its root; in a server's build also among the files that it shows
 * at `/`, where frameworks copy them to.
 */
export async function readSiteRules(
  pack: PackReader,
  { isServer, framework }: { isServer: boolean; framework: string | null },
): Promise<SiteRules | undefined> {
  const shown = frameworkOf(framework)?.assets.filter(({ at }) => at === '/') ?? []
  const find = (name: string) =>
    ['', ...shown.map(({ dir }) => dir)].map(dir => pack.find(dir + name)).find(Boolean)
  if (!find('_redirects') && !find('_headers')) return undefined
  const tooLarge: string[] = []
  const text = async (name: string): Promise<string> => {
    const file = find(name)
    if (file && file.size > maxBytes) tooLarge.push(`${name} is larger than 1 MB and is ignored.`)
    return file && file.size <= maxBytes ? (await pack.read(file)).toString() : ''
  }
  const redirects = readRedirects(await text('_redirects'), { isServer })
  const headers = readHeaders(await text('_headers'))
  const all = [...tooLarge, ...redirects.warnings, ...headers.warnings]
  const warnings = all.slice(0, maxWarnings)
  if (all.length > maxWarnings) warnings.push(`… and ${all.length - maxWarnings} more.`)
  return { redirects: redirects.redirects, headers: headers.headers, warnings }
}
