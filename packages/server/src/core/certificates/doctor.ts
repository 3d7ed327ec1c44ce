// What stands between a domain and its certificate: the record to create, what was found instead, and what comes next.
import type { CertificateDoctor } from '@svc/contract'
import { findCertificate } from '../../store/certificates.ts'
import type { Platform } from '../platform.ts'
import { isoTime } from '../times.ts'
import { lookUp, recordsToCreate, shownRecords } from './pointing.ts'

export async function examine(platform: Platform, domain: string): Promise<CertificateDoctor> {
  const [{ pointsHere, found, target }, row] = await Promise.all([
    lookUp(platform, domain),
    findCertificate(platform.store.db, domain),
  ])
  const dns = {
    points_here: pointsHere,
    create: recordsToCreate(domain, platform.dnsTarget, shownRecords(platform, target)),
    found: shownRecords(platform, found),
  }
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

const notIssued: CertificateDoctor['issuance'] = {
  state: 'off',
  waiting_for: 'This platform issues no certificates: its operator has set no SVCD_ACME_DIRECTORY.',
  last_error: null,
  next_attempt_at: null,
  expires_at: null,
}
