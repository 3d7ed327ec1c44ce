// The URL of a project's primary domain, which is shown as the project's own.
import { readyAmong } from '../../store/domains/certificates.ts'
import { primaryDomains } from '../../store/domains/domains.ts'
import type { Platform } from '../base/platform.ts'

/** The URL of each primary domain, by the id of the project. Projects without one are left out. */
export async function primaryUrls(
  platform: Pick<Platform, 'store' | 'urls'>,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { db } = platform.store
  const domains = await primaryDomains(db, projectIds)
  const ready = await readyAmong(db, [...domains.values()])
  return new Map([...domains].map(([id, domain]) => [id, urlOf(platform, domain, ready.has(domain))]))
}

/** Without a certificate of the platform, a domain is reached like the platform itself, for example through a proxy. */
const urlOf = ({ urls }: Pick<Platform, 'urls'>, domain: string, hasCertificate: boolean): string =>
  hasCertificate ? `https://${domain}` : urls.origin(domain)
