// The URL of a project's primary domain, which is shown as the project's own.
import { certificatesAmong } from '../../store/domains/certificates.ts'
import { primaryDomain } from '../../store/domains/domains.ts'
import type { Platform } from '../base/platform.ts'
import { isResolvable } from './resolvable.ts'

type UrlParts = Pick<Platform, 'clock' | 'dns' | 'urls'>

/** The URL of the project's primary domain, or null. */
export async function primaryUrlOf(
  platform: UrlParts & Pick<Platform, 'store'>,
  projectId: string,
): Promise<string | null> {
  const { db } = platform.store
  const domain = await primaryDomain(db, projectId)
  if (domain === undefined) return null
  return await primaryUrl(platform, domain, (await certificatesAmong(db, [domain])).get(domain))
}

/**
 * Null for a domain that still waits for a certificate of the platform: its DNS records may be missing, and the URL would lead
 * nowhere. Without a certificate of the platform, a domain is reached like the platform itself, for example through a proxy. Then
 * null if it has no DNS records.
 */
export async function primaryUrl(
  platform: UrlParts,
  domain: string,
  certificate: 'stored' | 'awaited' | undefined,
): Promise<string | null> {
  if (certificate === 'stored') return `https://${domain}`
  if (certificate === 'awaited' || !(await isResolvable(platform, domain))) return null
  return platform.urls.origin(domain)
}
