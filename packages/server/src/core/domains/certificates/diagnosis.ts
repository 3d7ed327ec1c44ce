// Explains why a domain has no certificate yet: the record to create, what was found instead, and the next step.
import type { CertificateDoctor } from '@svc/contract'
import { findCertificate } from '../../../store/domains/certificates.ts'
import type { DnsLookups, Platform } from '../../base/platform.ts'
import { isoTime } from '../../base/times.ts'
import type { ProofRecord } from '../proof.ts'
import { lookUp, recordsToCreate, shownRecords } from './pointing.ts'

/** `proof` is the record that the domain waits for, if it is not served without proof. */
export async function diagnose(
  platform: DnsLookups & Pick<Platform, 'issuing' | 'store'>,
  domain: string,
  proof: ProofRecord | null | undefined,
): Promise<CertificateDoctor> {
  const [{ pointsHere, found, target }, row] = await Promise.all([
    lookUp(platform, domain),
    findCertificate(platform.store.db, domain),
  ])
  const dns = {
    points_here: pointsHere,
    create: recordsToCreate(domain, platform.dnsTarget, shownRecords(platform, target)),
    found: shownRecords(platform, found),
  }
  if (proof) return { dns, issuance: unproved(platform, proof) }
  if (!platform.issuing) return { dns, issuance: notIssued }
  return {
    dns,
    issuance: {
      state: row?.state ?? 'pending',
      waiting_for: row?.waiting_for ?? (row ? null : 'It is about to be looked at.'),
      last_error: row?.error ?? null,
      next_attempt_at: row && row.state !== 'issuing' ? isoTime(row.next_at) : null,
      expires_at: row?.expires_at ? isoTime(row.expires_at) : null,
    },
  }
}

function unproved(
  { issuing, dnsTarget }: Pick<Platform, 'dnsTarget' | 'issuing'>,
  { name, value }: ProofRecord,
): CertificateDoctor['issuance'] {
  return {
    ...notIssued,
    state: issuing ? 'pending' : 'off',
    waiting_for: `The domain is not served yet. Prove that it is yours: point it at ${dnsTarget}, or create the record ${name} TXT ${value}`,
  }
}

const notIssued: CertificateDoctor['issuance'] = {
  state: 'off',
  waiting_for: 'This platform issues no certificates: its operator has set no SVCD_ACME_DIRECTORY.',
  last_error: null,
  next_attempt_at: null,
  expires_at: null,
}
