// The URL of a project's primary domain, which is shown as the project's own.
import { certificatesAmong } from '../../store/domains/certificates.ts'
import { primaryDomain } from '../../store/domains/domains.ts'
import type { Platform } from '../base/platform.ts'

/** The URL of the project's primary domain, or null. */
export async function primaryUrlOf(
  platform: Pick<Platform, 'store' | 'urls'>,
  projectId: string,
): Promise<string | null> {
  const { db } = platform.store
  const domain = await primaryDomain(db, projectId)
  if (domain === undefined) return null
  return primaryUrl(platform, domain, (await certificatesAmong(db, [domain])).get(domain))
}

/**
 * Null for a domain that still waits for a certificate of the platform: its DNS records may be missing, and the URL would lead
 * nowhere. Without a certificate of the platform, a domain is reached like the platform itself, for example through a proxy.
 */
export function primaryUrl(
  { urls }: Pick<Platform, 'urls'>,
  domain: string,
  certificate: 'stored' | 'awaited' | undefined,
): string | null {
  if (certificate === 'awaited') return null
  return certificate === 'stored' ? `https://${domain}` : urls.origin(domain)
}
