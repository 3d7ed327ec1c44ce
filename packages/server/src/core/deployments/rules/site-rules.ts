// The rules that a deployment brings along: `_redirects` and `_headers`.
import type { PackReader } from '../../../ports/packs/pack-reader.ts'
import { frameworkOf } from '../../apps/frameworks.ts'
import { type HeaderRules, readHeaders } from './headers.ts'
import { type Redirects, readRedirects } from './redirects.ts'
import { readRuleFile } from './rule-file.ts'

export interface SiteRules {
  redirects: Redirects
  headers: HeaderRules
}

interface Kind {
  isServer: boolean
  framework: string | null
}

/** `undefined` if the deployment has none. */
export async function readSiteRules(pack: PackReader, kind: Kind): Promise<SiteRules | undefined> {
  const read = await readFiles(pack, kind)
  return read && { redirects: read.redirects.redirects, headers: read.headers.headers }
}

/** Lines that cannot be honoured, for people. */
export async function checkSiteRules(pack: PackReader, kind: Kind): Promise<string[]> {
  const read = await readFiles(pack, kind)
  return read ? [...read.tooLarge, ...read.redirects.warnings(), ...read.headers.warnings] : []
}

/**
 * They lie at the root of the deployment; in a server's build also among the files that it shows at `/`, where frameworks
 * copy them to.
 */
async function readFiles(pack: PackReader, { isServer, framework }: Kind) {
  const shown = frameworkOf(framework)?.assets.filter(({ at }) => at === '/') ?? []
  const find = (name: string) =>
    ['', ...shown.map(({ dir }) => dir)].flatMap(dir => pack.find(dir + name) ?? [])
  const [redirectFiles, headerFiles] = [find('_redirects'), find('_headers')]
  if (redirectFiles.length + headerFiles.length === 0) return undefined
  const redirects = await readRuleFile(pack, redirectFiles)
  const headers = await readRuleFile(pack, headerFiles)
  const tooLarge = Object.entries({ _redirects: redirects, _headers: headers })
    .filter(([, { isCut }]) => isCut)
    .map(([name]) => `${name} is larger than 1 MB. Only the lines within its first megabyte are read.`)
  return {
    redirects: readRedirects(redirects.text, { isServer }),
    headers: readHeaders(headers.text, headers),
    tooLarge,
  }
}
