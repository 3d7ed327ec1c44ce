// Checks of what the platform needs from other machines: DNS, HTTPS, certificate authority, mail, GitHub, payments. They can take
// seconds, so they run when an operator asks for them: with `svcd doctor` or in the operator area.
import { dayMs } from '@svc/contract/durations'
import type { Platform } from '../base/platform.ts'
import { CheckFailure } from './checks.ts'

export type ServiceParts = Pick<
  Platform,
  | 'billing'
  | 'clock'
  | 'dns'
  | 'dnsTarget'
  | 'domain'
  | 'github'
  | 'issuing'
  | 'mailer'
  | 'payments'
  | 'tlsProbe'
  | 'urls'
>

/** Returns a line about what works, or throws a `CheckFailure`. */
type ServiceCheck<Part extends keyof ServiceParts> = (platform: Pick<ServiceParts, Part>) => Promise<string>

/** Certificates are renewed a month before they expire. One that is this near to its end was not renewed. */
const nearEndMs = 7 * dayMs

const isLocal = (domain: string): boolean => domain === 'localhost' || domain.endsWith('.localhost')

/** The name of the dashboard, some name of a site, and the name that customers point their domains at. */
export const checkDns: ServiceCheck<'dns' | 'dnsTarget' | 'domain'> = async ({ dns, dnsTarget, domain }) => {
  if (isLocal(domain)) return `not needed for ${domain}`
  const names = [...new Set([`app.${domain}`, `svcd-check.${domain}`, dnsTarget])]
  const found = await Promise.all(names.map(async name => ({ name, ...(await dns.records(name)) })))
  const missing = found.filter(({ a, aaaa }) => a.length + aaaa.length === 0).map(({ name }) => name)
  if (missing.length > 0)
    throw new CheckFailure(
      `${missing.join(' and ')} ${missing.length === 1 ? 'has' : 'have'} no address in the DNS`,
      `Create the records ${domain} and *.${domain} with the address of this server, at the DNS provider of ${domain}.`,
    )
  const addresses = new Set(found.flatMap(({ a, aaaa }) => [...a, ...aaaa]))
  return `${domain}, its subdomains and ${dnsTarget} lead to ${[...addresses].join(', ')}`
}

/** A real handshake with the dashboard, as a browser makes it. */
const checkHttps: ServiceCheck<'clock' | 'tlsProbe' | 'urls'> = async ({ clock, tlsProbe, urls }) => {
  const { protocol, hostname } = new URL(urls.dashboard)
  if (protocol !== 'https:')
    return 'not used: set SVCD_TLS_PORT, or let a proxy speak it (SVCD_PUBLIC_SCHEME)'
  const shown = await tlsProbe(hostname)
  if ('unreachable' in shown)
    throw new CheckFailure(
      shown.unreachable,
      `Open port 443 to this server, and check SVCD_TLS_PORT or your proxy. In a private network, set SVCD_ALLOW_PRIVATE_TARGETS=1.`,
    )
  if (shown.problem !== undefined)
    throw new CheckFailure(
      `browsers do not accept the certificate of ${hostname}: ${shown.problem}`,
      'Check SVCD_TLS_CERT and SVCD_TLS_KEY, or the certificate of your proxy.',
    )
  const days = Math.floor((shown.validTo - clock.now()) / dayMs)
  if (shown.validTo - clock.now() < nearEndMs)
    throw new CheckFailure(
      `the certificate of ${hostname} expires in ${days} days and was not renewed`,
      'Renew it, or look under Certificates for what keeps the platform from renewing it.',
    )
  return `the certificate of ${hostname} is good for another ${days} days`
}

const checkAuthority: ServiceCheck<'issuing'> = async ({ issuing }) => {
  if (!issuing) return 'not used: set SVCD_ACME_DIRECTORY to have certificates issued'
  const { directory } = issuing.acme
  await issuing.acme.check().catch((error: Error) => {
    throw new CheckFailure(
      `${directory}: ${error.message}`,
      'Check SVCD_ACME_DIRECTORY, and whether this server may open connections to it.',
    )
  })
  return directory
}

export const checkMail: ServiceCheck<'mailer'> = async ({ mailer }) => {
  if (!mailer.isConfigured) return 'not used: set SVCD_SMTP_URL to send email'
  await mailer.check().catch((error: Error) => {
    throw new CheckFailure(
      `the mail server does not take email: ${error.message}`,
      'Check SVCD_SMTP_URL: host, port, user and password.',
    )
  })
  return 'the mail server lets svcd sign in'
}

const checkGitHub: ServiceCheck<'github'> = async ({ github }) =>
  (await github?.check()) ?? 'not used (SVCD_FORGE)'

const checkPayments: ServiceCheck<'billing' | 'payments'> = async ({ billing, payments }) => {
  if (billing === 'off' || !payments) return 'not used (SVCD_BILLING)'
  await payments.check()
  return billing === 'sandbox' ? 'the sandbox, without real money' : `${billing} takes the key`
}

export const serviceChecks: Record<string, (platform: ServiceParts) => Promise<string>> = {
  DNS: checkDns,
  HTTPS: checkHttps,
  'certificate authority': checkAuthority,
  mail: checkMail,
  GitHub: checkGitHub,
  payments: checkPayments,
}
