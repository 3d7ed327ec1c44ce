// Whether the platform serves a host. A reverse proxy asks before it gets a certificate for the host.
import { Fault } from '../../lib/fault.ts'
import { ownHosts } from '../base/own-hosts.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { databaseRows } from '../base/row-source.ts'
import { findShown } from './certificate-demand.ts'
import { siteReader } from './sites.ts'

/** Throws `not_found` for hosts that lead nowhere, so that nobody spends the proxy's certificates on made-up names. */
export async function requireKnownHost(
  platform: Rows & Pick<Platform, 'domain' | 'urls'>,
  written: string,
): Promise<void> {
  const host = written.toLowerCase().replace(/\.$/, '')
  if (ownHosts(platform.domain).includes(host)) return
  const reader = siteReader(databaseRows(platform.store.db))
  const target = platform.urls.siteAt(host)
  // Further spellings of a label lead to the same site. They are too many for certificates.
  const isOther = target !== undefined && platform.urls.hostOf(target) !== host
  const found = target
    ? !isOther && (await findShown(reader, target, platform.clock.now()))
    : host.endsWith(`.${platform.domain}`)
      ? undefined
      : await reader.byDomain(host)
  if (!found) throw new Fault('not_found', 'The platform serves no such host.')
}
