// Reconciles the certificates: every domain needs one, and each is renewed in time.
import { randomText } from '../../../lib/ids.ts'
import {
  addCertificate,
  claimCertificate,
  domainsWithout,
  dueCertificates,
  findCertificate,
} from '../../../store/domains/certificates.ts'
import { findDomain } from '../../../store/domains/domains.ts'
import type { Issuing } from '../../base/parts.ts'
import type { CertificateParts, Platform, Rows } from '../../base/platform.ts'
import { CertificateLease } from './certificate-lease.ts'
import { issue } from './issue.ts'

/** A claim that is not extended in this time expires, and another node can take over. */
const claimMs = 20_000
const renewClaimMs = 5_000
const rowsAtOnce = 100

/** The names that are due, including those that were never checked. */
export async function dueNames(
  platform: Rows & Pick<Platform, 'domain'>,
  issuing: Issuing,
  atMost: number,
): Promise<string[]> {
  await addMissing(platform, issuing)
  return await dueCertificates(platform.store.db, platform.clock.now(), atMost)
}

/** Reads before it writes, because usually there is nothing to add. */
async function addMissing(platform: Rows & Pick<Platform, 'domain'>, { dns01 }: Issuing): Promise<void> {
  const { store, clock } = platform
  for (const domain of await domainsWithout(store.db, rowsAtOnce))
    await store.transact(async tx => {
      // It may have been detached since.
      if (await findDomain(tx, domain)) await addCertificate(tx, { name: domain, domain }, clock.now())
    })
  const name = ownName(platform)
  if (dns01 && !(await findCertificate(store.db, name)))
    await addCertificate(store.db, { name, domain: null }, clock.now())
}

/** The platform's own certificate, for its domain and all that is right below. */
const ownName = ({ domain }: Pick<Platform, 'domain'>): string => `*.${domain}`

/** Does nothing if another node works on the name. */
export async function attempt(platform: CertificateParts, issuing: Issuing, name: string): Promise<void> {
  const now = platform.clock.now()
  const row = await claimCertificate(platform.store.db, name, randomText(16), { now, until: now + claimMs })
  if (!row) return
  const claim = new CertificateLease(platform, row)
  const beat = setInterval(() => {
    claim.extend(platform.clock.now() + claimMs).catch(() => undefined) // Lost: the next write says so.
  }, renewClaimMs).unref()
  try {
    await issue(platform, issuing, claim)
  } finally {
    clearInterval(beat)
  }
}
