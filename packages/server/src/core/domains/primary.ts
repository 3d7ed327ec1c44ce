// The URL of a project's primary domain, which is shown as the project's own.
import { certificatesAmong } from '../../store/domains/certificates.ts'
import { primaryDomains } from '../../store/domains/domains.ts'
import type { Platform } from '../base/platform.ts'

/**
 * The URL of each primary domain, by the id of the project. Projects without one are left out, and so are domains that still wait
 * for a certificate of the platform: their DNS records may be missing, and the URL would lead nowhere.
 */
export async function primaryUrls(
  platform: Pick<Platform, 'store' | 'urls'>,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { db } = platform.store
  const domains = await primaryDomains(db, projectIds)
  const certificates = await certificatesAmong(db, [...domains.values()])
  return new Map(
    [...domains]
      .filter(([, domain]) => certificates.get(domain) !== 'awaited')
      .map(([id, domain]) => [id, urlOf(platform, domain, certificates.has(domain))]),
  )
}

/** Without a certificate of the platform, a domain is reached like the platform itself, for example through a proxy. */
const urlOf = ({ urls }: Pick<Platform, 'urls'>, domain: string, hasCertificate: boolean): string =>
  hasCertificate ? `https://${domain}` : urls.origin(domain)
