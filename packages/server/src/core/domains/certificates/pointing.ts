// Checks whether a domain points to this platform, by its DNS records and with a test request.
import { createHash } from 'node:crypto'
import { isPrivate } from '../../../lib/private-addresses.ts'
import type { DnsRecords } from '../../../ports/dns/port.ts'
import type { DnsLookups, Platform } from '../../base/platform.ts'
import { registeredDomain } from './budget.ts'
import type { PendingChallenge } from './reader.ts'

interface Pointing {
  /** By its records only. */
  pointsHere: boolean
  found: DnsRecords
  /** The records of the name that customers point their domains to. */
  target: DnsRecords
  /** No DNS server answered. */
  silent: boolean
}

const noRecords: DnsRecords = { cname: [], a: [], aaaa: [] }

export async function lookUp(
  { dns, dnsTarget }: Pick<Platform, 'dns' | 'dnsTarget'>,
  domain: string,
): Promise<Pointing> {
  const [found, target] = await Promise.all([
    dns.records(domain).catch(() => undefined), // Said as `silent`.
    dns.records(dnsTarget).catch(() => noRecords), // Then nothing but its name can be compared.
  ])
  const { cname, a, aaaa } = found ?? noRecords
  const ours = new Set([...target.a, ...target.aaaa])
  const addresses = [...a, ...aaaa]
  const pointsHere =
    cname.includes(dnsTarget) || (addresses.length > 0 && addresses.every(address => ours.has(address)))
  return { pointsHere, found: found ?? noRecords, target, silent: found === undefined }
}

/** The records that customers may see. Addresses of private networks are left out. */
export function shownRecords(
  { allowPrivateTargets }: Pick<Platform, 'allowPrivateTargets'>,
  records: DnsRecords,
): DnsRecords {
  if (allowPrivateTargets) return records
  const isPublic = (address: string): boolean => !isPrivate(address)
  const [a, aaaa] = [records.a.filter(isPublic), records.aaaa.filter(isPublic)]
  const leadsInside = records.a.length + records.aaaa.length > 0 && a.length + aaaa.length === 0
  return { cname: leadsInside ? [] : records.cname, a, aaaa }
}

/** Why an order at the authority would fail. `undefined` if it should succeed. */
export async function whyNotHere(
  platform: DnsLookups & Probes,
  domain: string,
  challenge: PendingChallenge,
): Promise<string | undefined> {
  const { pointsHere, found, silent } = await lookUp(platform, domain)
  const addresses = [...found.a, ...found.aaaa]
  if (silent) return `No DNS server answers for ${domain} at the moment.`
  if (addresses.length === 0)
    return found.cname.length > 0
      ? `${domain} is an alias of ${found.cname.at(-1)}, which has no address.`
      : `${domain} has no public address in the DNS yet.`
  const answer = await ask(platform, domain, addresses, challenge)
  if (answer === 'ours' || (await answersByTls(platform, domain, addresses, challenge))) return undefined
  // Some networks cannot reach their own public address. Then the records are enough.
  if (pointsHere && answer === 'nothing') return undefined
  const { cname, a, aaaa } = shownRecords(platform, found)
  const where = [...cname.slice(-1), ...a, ...aaaa].join(', ')
  if (where === '') return `${domain} has no public address in the DNS yet.`
  if (!pointsHere) return `${domain} points at ${where}, not at ${platform.dnsTarget}.`
  return `${domain} points here, but something else answers at ${where} by HTTP.`
}

type Probes = Pick<Platform, 'alpnProbe' | 'httpProbe'>

/** Whether all addresses show the certificate that answers the challenge: the way where port 80 is closed. */
export async function answersByTls(
  { alpnProbe }: Pick<Platform, 'alpnProbe'>,
  host: string,
  addresses: readonly string[],
  { answer }: PendingChallenge,
): Promise<boolean> {
  const digest = createHash('sha256').update(answer).digest()
  const shown = await Promise.all(
    addresses.slice(0, askedAtMost).map(address => alpnProbe({ host, address })),
  )
  return shown.length > 0 && shown.every(certificate => certificate?.includes(digest))
}

/** The authority may use any of the addresses, so all of them (up to this many) are tested. */
const askedAtMost = 4

/** Whether requests from outside get the answer to the challenge. */
export async function ask(
  platform: Pick<Platform, 'httpProbe'>,
  domain: string,
  addresses: readonly string[],
  challenge: PendingChallenge,
): Promise<'ours' | 'other' | 'nothing'> {
  const answers = await Promise.all(
    addresses.slice(0, askedAtMost).map(address => askOne(platform, domain, address, challenge)),
  )
  return answers.includes('other') ? 'other' : answers.includes('ours') ? 'ours' : 'nothing'
}

/** Retries, because other nodes may learn of the challenge a moment later. */
async function askOne(
  { httpProbe }: Pick<Platform, 'httpProbe'>,
  host: string,
  address: string,
  { token, answer }: PendingChallenge,
): Promise<'ours' | 'other' | 'nothing'> {
  for (let tries = 1; ; tries++) {
    const got = await httpProbe({ host, address }, `/.well-known/acme-challenge/${token}`)
    if ('unreachable' in got) return 'nothing'
    if (got.status === 200 && got.body.trim() === answer) return 'ours'
    if (tries === 4) return 'other'
    await new Promise(resolve => setTimeout(resolve, 250 * tries))
  }
}

interface DnsRecord {
  type: 'CNAME' | 'ALIAS' | 'A' | 'AAAA'
  name: string
  value: string
}

/** What to create, the best first. A registered domain itself cannot be a CNAME, so there it is an ALIAS or addresses. */
export function recordsToCreate(domain: string, dnsTarget: string, target: DnsRecords): DnsRecord[] {
  if (registeredDomain(domain) !== domain) return [{ type: 'CNAME', name: domain, value: dnsTarget }]
  return [
    { type: 'ALIAS', name: domain, value: dnsTarget },
    ...target.a.map((value): DnsRecord => ({ type: 'A', name: domain, value })),
    ...target.aaaa.map((value): DnsRecord => ({ type: 'AAAA', name: domain, value })),
  ]
}
