// The rules of a deployment: `_redirects` and `_headers`.
import type { PackReader } from '../../../ports/packs/pack-reader.ts'
import { frameworkOf } from '../frameworks.ts'
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

/** Warnings about invalid lines. */
export async function checkSiteRules(pack: PackReader, kind: Kind): Promise<string[]> {
  const read = await readFiles(pack, kind)
  return read ? [...read.tooLarge, ...read.redirects.warnings(), ...read.headers.warnings] : []
}

/**
 * The files are at the root of the deployment. In a server's build they may also be in the folder that it serves at `/`,
 * because frameworks copy them there.
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
