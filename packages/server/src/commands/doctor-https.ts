// The checks of svcd doctor for HTTPS: the platform's certificate, the certificate authority, and the DNS target of
// custom domains.
import { dayMs } from '@svc/contract/durations'
import type { Settings } from '../config.ts'
import { CertificateFiles } from '../edge/https/certificate-files.ts'
import { acmeClient } from '../ports/acme/client.ts'
import { dnsResolver } from '../ports/dns/resolver.ts'

export async function checkHttps(settings: Settings): Promise<string> {
  const { tlsPort, tlsCert: cert, tlsKey: key, platformDomain: domain, dns01Hook } = settings
  if (tlsPort === undefined) return 'off; set SVCD_TLS_PORT, or let a proxy speak it'
  if (!cert || !key)
    return dns01Hook && settings.acmeDirectory
      ? `port ${tlsPort}; the platform's own certificate is issued by DNS-01`
      : `port ${tlsPort}, for custom domains alone: the platform's own names have no certificate`
  const files = new CertificateFiles({ cert, key }, () => undefined)
  files.close()
  const { covers, expiresAt } = files.current
  const missing = [domain, `any.${domain}`].filter(name => !covers(name))
  if (missing.length > 0) throw new Error(`${cert} is not for ${missing.join(' nor ')}`)
  const days = Math.floor((expiresAt - Date.now()) / dayMs)
  if (days < 0) throw new Error(`${cert} has expired`)
  return `port ${tlsPort}; ${cert} is good for another ${days} days`
}

export async function checkAuthority(settings: Settings): Promise<string> {
  const { acmeDirectory: directory, acmeEmail: email, acmeCaFile: caFile, dnsTarget, dnsServers } = settings
  if (directory === undefined) return 'off; set SVCD_ACME_DIRECTORY to have certificates issued'
  await acmeClient({ directory, email, caFile }).check()
  const { a, aaaa } = await dnsResolver(dnsServers).records(dnsTarget)
  if (a.length + aaaa.length === 0)
    throw new Error(`${dnsTarget}, which customers point their domains at, is not in the DNS`)
  return `${directory}; customers point at ${dnsTarget} (${[...a, ...aaaa].join(', ')})`
}
