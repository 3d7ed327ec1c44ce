// The checks of svcd doctor for HTTPS: the platform's certificate, the certificate authority, and the DNS target of
// custom domains.
import { dayMs } from '@svc/contract/durations'
import { acmeSettings, ownCertificate, type Settings } from '../config.ts'
import { CertificateFiles } from '../edge/https/certificate-files.ts'
import { acmeClient } from '../ports/acme/client.ts'
import { dnsResolver } from '../ports/dns/resolver.ts'
import type { CertificateRow } from '../store/tables.ts'

type ReadRow = (name: string) => Promise<CertificateRow | undefined>

export async function checkHttps(settings: Settings, rowOf: ReadRow): Promise<string> {
  const { tlsPort, tlsCert: cert, tlsKey: key, platformDomain: domain } = settings
  if (tlsPort === undefined) return 'off; set SVCD_TLS_PORT, or let a proxy speak it'
  if (!cert || !key) return `port ${tlsPort}; ${await checkIssued(settings, rowOf)}`
  const files = new CertificateFiles({ cert, key }, () => undefined)
  files.close()
  const { covers, expiresAt } = files.current
  const missing = [domain, `any.${domain}`].filter(name => !covers(name))
  if (missing.length > 0) throw new Error(`${cert} is not for ${missing.join(' nor ')}`)
  const days = Math.floor((expiresAt - Date.now()) / dayMs)
  if (days < 0) throw new Error(`${cert} has expired`)
  return `port ${tlsPort}; ${cert} is good for another ${days} days`
}

/** The certificate that svcd gets itself: that of the dashboard, or the wildcard. */
async function checkIssued(settings: Settings, rowOf: ReadRow): Promise<string> {
  const own = ownCertificate(settings)
  if (own === undefined)
    return "for custom domains alone: the platform's own names have no certificate. Set SVCD_ACME_EMAIL to have them issued"
  const name = `${own === 'dns-01' ? '*' : 'app'}.${settings.platformDomain}`
  const row = await rowOf(name)
  const how =
    own === 'dns-01'
      ? "the platform's own certificate is issued by DNS-01"
      : 'each host gets a certificate of its own'
  if (row === undefined) return `${how} when svcd has started`
  if (row.chain === null && row.error !== null)
    throw new Error(`${name} has no certificate: the authority says: ${row.error}`)
  if (row.chain === null && row.waiting_for !== null)
    throw new Error(`${name} has no certificate: ${row.waiting_for}`)
  const days = Math.floor(((row.expires_at ?? 0) - Date.now()) / dayMs)
  if (row.chain !== null && days < 7)
    throw new Error(
      `the certificate of ${name} ends in ${days} days and was not renewed: ${row.error ?? row.waiting_for ?? 'svcd does not run'}`,
    )
  return row.chain === null
    ? `${how}; it is under way`
    : `${how}; that of ${name} is good for another ${days} days`
}

export async function checkAuthority(settings: Settings): Promise<string> {
  const { dnsTarget, dnsServers } = settings
  const authority = acmeSettings(settings)
  if (authority === undefined) return 'off; set SVCD_ACME_DIRECTORY to have certificates issued'
  await acmeClient(authority).check()
  const { a, aaaa } = await dnsResolver(dnsServers).records(dnsTarget)
  if (a.length + aaaa.length === 0)
    throw new Error(`${dnsTarget}, which customers point their domains at, is not in the DNS`)
  return `${authority.directory}; customers point at ${dnsTarget} (${[...a, ...aaaa].join(', ')})`
}
