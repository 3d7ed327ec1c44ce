// Reconciles the certificates: every domain needs one, and each is renewed in time.
import { dayMs } from '@svc/contract/durations'
import { randomText } from '../../../lib/ids.ts'
import {
  addCertificate,
  type Beside,
  certificatesAmong,
  claimCertificate,
  claimHosts,
  domainsWithout,
  dueCertificates,
  findCertificate,
} from '../../../store/domains/certificates.ts'
import { findDomain } from '../../../store/domains/domains.ts'
import { ownersAmong, projectsWithout } from '../../../store/domains/host-certificates.ts'
import { findProjectById } from '../../../store/projects/projects.ts'
import { ownHosts } from '../../base/own-hosts.ts'
import type { Issuing } from '../../base/parts.ts'
import type { CertificateParts, Platform, Rows } from '../../base/platform.ts'
import { CertificateLease } from './certificate-lease.ts'
import { issue } from './issue.ts'
import { kindOf } from './kinds.ts'

/** A claim that is not extended in this time expires, and another node can take over. */
const claimMs = 20_000
const renewClaimMs = 5_000
const rowsAtOnce = 100
/** The names in one certificate. Let's Encrypt allows 100. */
const namesAtMost = 25
/** A name that failed this often is ordered alone, so that it does not keep others from theirs. */
const failuresTogether = 2

type Names = Rows & Pick<Platform, 'domain'>

/** The names that are due. Hosts below the platform's domain share certificates, so one of them stands for all. */
export async function dueNames(
  { store, clock }: Rows,
  atMost: number,
): Promise<Record<'hosts' | 'others', string[]>> {
  const due = (which: 'hosts' | 'others', limit: number) =>
    dueCertificates(store.db, which, clock.now(), limit)
  return { hosts: await due('hosts', 1), others: await due('others', atMost) }
}

/** Adds the names that were never checked. Reads before it writes, because usually there is nothing to add. */
export async function addMissing(platform: Names, { dns01, perHost }: Issuing): Promise<void> {
  const { store, clock } = platform
  for (const domain of await domainsWithout(store.db, rowsAtOnce))
    await store.transact(async tx => {
      // It may have been detached since.
      if (await findDomain(tx, domain)) await addCertificate(tx, { name: domain, domain }, clock.now())
    })
  const name = `*.${platform.domain}`
  if (dns01 && !(await findCertificate(store.db, name))) await addCertificate(store.db, { name }, clock.now())
  if (perHost) await addHosts(platform)
}

async function addHosts({ store, clock, domain }: Names): Promise<void> {
  const own = ownHosts(domain)
  const known = await certificatesAmong(store.db, own)
  for (const name of own) if (!known.has(name)) await addCertificate(store.db, { name }, clock.now())
  for (const { id, name } of await projectsWithout(store.db, domain, rowsAtOnce))
    await store.transact(async tx => {
      const project = await findProjectById(tx, id)
      if (project?.name === name)
        await addCertificate(tx, { name: `${name}.${domain}`, project_id: id }, clock.now())
    })
}

/** Does nothing if another node works on the name. */
export async function attempt(platform: CertificateParts, issuing: Issuing, name: string): Promise<void> {
  const now = platform.clock.now()
  const [claim, until] = [randomText(16), now + claimMs]
  const row = await claimCertificate(platform.store.db, name, claim, { now, until })
  if (!row) return
  const beside = besideOf(row, now)
  const others =
    beside === undefined
      ? []
      : await claimHosts(platform.store.db, claim, beside, { now, until, limit: namesAtMost - 1 })
  const leases = [row, ...others].map(each => new CertificateLease(platform, each))
  const beat = setInterval(() => {
    for (const lease of leases) lease.extend(platform.clock.now() + claimMs).catch(() => undefined) // Lost: the next write says so.
  }, renewClaimMs).unref()
  try {
    await issue(platform, issuing, await withoutUnneeded(platform, issuing, leases))
  } finally {
    clearInterval(beat)
  }
}

/** What shares a certificate with the name. `undefined`: nothing does. */
function besideOf(row: CertificateLease['row'], now: number): Beside | undefined {
  const kind = kindOf(row)
  if (kind === 'domain' || kind === 'wildcard') return undefined
  if (row.order_url !== null) return { order: row.order_url }
  if (row.failures >= failuresTogether) return undefined
  return { dueBefore: now + dayMs, failuresBelow: failuresTogether }
}

/** Drops the hosts that need no certificate of their own any more, and returns the others. */
async function withoutUnneeded(
  platform: CertificateParts,
  { perHost }: Issuing,
  leases: readonly CertificateLease[],
): Promise<CertificateLease[]> {
  const projects = await ownersAmong(
    platform.store.db,
    leases.flatMap(({ row }) => row.project_id ?? []),
  )
  const isNeeded = ({ row, kind }: CertificateLease): boolean => {
    if (kind === 'domain' || kind === 'wildcard') return true
    if (!perHost) return false // The wildcard covers it.
    // Its time is over. The next visitor asks for another one.
    if (kind === 'demand') return row.chain === null
    const name = projects.get(row.project_id ?? '')?.name
    return kind === 'platform' || row.name === `${name}.${platform.domain}`
  }
  for (const lease of leases) if (!isNeeded(lease)) await lease.drop()
  return leases.filter(isNeeded)
}
