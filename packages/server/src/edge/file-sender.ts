// Sends a chosen file: from memory, or from its pack. Files that may be cached are kept in memory.
import type { HeaderChange } from '../core/deployments/rules/headers.ts'
import type { SiteRules } from '../core/deployments/rules/site-rules.ts'
import type { ChosenFile } from './choose.ts'
import { EarlyVariants } from './early-variants.ts'
import type { Preference } from './encodings.ts'
import type { Exchange } from './exchange.ts'
import type { HotFiles, StoredFile } from './hot-files.ts'
import { sendPage } from './pages.ts'
import { represent } from './representation.ts'
import { respond } from './respond.ts'
import type { Route } from './route.ts'

/** The path in the memory key of a site's 404.html. It has no slash, so it differs from the path of every request. */
const missingPath = '404'

interface Delivery {
  chosen: ChosenFile
  changes: HeaderChange[] | undefined
  preference: Preference
  mayCache: boolean
  /** Reads `chosen` once more, for a later request. */
  open: StoredFile['open']
}

export class FileSender {
  readonly #hot: HotFiles
  readonly #early = new EarlyVariants()

  constructor(hot: HotFiles) {
    this.#hot = hot
  }

  /** Sends the chosen file from memory, or from the pack if it is not in memory. Keeps it in memory if it may be cached. */
  async send(
    exchange: Exchange,
    route: Route,
    { chosen, changes, preference, mayCache, open }: Delivery,
  ): Promise<void> {
    const { status, stored, source } = chosen
    const stream = (start: number, end: number) => source.stream(stored, start, end)
    if (!mayCache && !chosen.isRefused)
      return respond(exchange, represent(route, chosen, changes), stream, 'MISS')
    const path = status === 200 ? pathOf(exchange.url) : missingPath
    const key = route.key(preference, path, () => exchange.hostname)
    const hot = this.#hot.get(key)
    if (hot !== undefined) return respond(exchange, hot.representation, hot.body, 'HIT')
    const identity = { key, projectId: route.projectId, deploymentId: route.deployment.id, path }
    const made = route.hasVariants ? undefined : await this.#early.make(key, chosen, preference)
    const early = made === 'busy' ? undefined : made
    if (chosen.isRefused && early === undefined) return sendPage(exchange, 'notAcceptable')
    const representation = represent(route, early?.chosen ?? chosen, changes)
    // What is sent uncompressed only because others are being compressed is not kept.
    const mayKeep = mayCache && made !== 'busy'
    if (mayKeep && early === undefined && status === 200) this.#hot.remember(identity, representation, open)
    const content =
      mayKeep && this.#hot.admits(key, representation.size)
        ? await this.#hot.read(identity, representation, async () => early?.body ?? source.read(stored))
        : (early?.body ?? stream)
    return respond(exchange, representation, content, 'MISS')
  }
}

/**
 * Whether a file may be kept in memory. The memory key has no query, so no file is kept if a redirect depends on the query. All
 * paths share one entry for the 404 page (`missingPath`), so with rules it is not kept: its headers may depend on the path.
 */
export function mayCacheFile(status: number, rules: SiteRules | undefined): boolean {
  return rules === undefined || (status === 200 && !rules.redirects.looksAtQuery)
}

export function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}
