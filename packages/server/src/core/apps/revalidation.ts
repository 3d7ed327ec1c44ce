// Invalidates cached pages of a server app on every edge.
import { Fault } from '../../lib/fault.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'

/** Invalidates each path with all its query strings. Resolves with the number of entries dropped on this node. */
export async function revalidate(
  platform: Rows & Pick<Platform, 'evictions'>,
  caller: Caller,
  project: ProjectScope,
  paths: string[],
): Promise<number> {
  const decoded = [...new Set(paths.map(decodePath))]
  const keys = new Set(decoded.map(path => `${project.id} ${path}`))
  const entry = {
    action: 'cache.revalidate',
    project,
    target: decoded[0],
    details: { paths: keys.size },
  } as const
  return await platform.evictions.during(keys, () =>
    platform.store.transact(async (tx, changed) => {
      for (const key of keys) await changed({ topic: 'cache', key })
      await audit(platform, tx, caller, entry)
    }),
  )
}

/** Decodes a path like the edge, so that every spelling of a page is the same. */
function decodePath(path: string): string {
  const written = path.split(/[?#]/, 1)[0]!
  const refuse = () =>
    new Fault(
      'invalid_request',
      `paths must be paths of the site, such as /blog/first, not '${path.slice(0, 100)}'`,
    )
  if (!written.startsWith('/')) throw refuse()
  try {
    const decoded = decodeURIComponent(written)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    if (!/[\x00-\x1f]/.test(decoded)) return decoded
  } catch {
    // Malformed escapes are refused below.
  }
  throw refuse()
}
