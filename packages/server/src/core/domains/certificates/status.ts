// What a visitor's browser would say of a domain's certificate.

import type { Certificate } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import type { DomainRow, ProjectRow } from '../../../store/tables.ts'
import type { DnsLookups, Platform, Rows } from '../../base/platform.ts'
import { isoTime } from '../../base/times.ts'
import { describeProof } from '../proof.ts'
import { diagnose } from './diagnosis.ts'

export async function certificateStatus(
  platform: Rows & DnsLookups & Pick<Platform, 'domainProof' | 'issuing' | 'tlsProbe'>,
  row: DomainRow,
  project: ProjectRow,
): Promise<Certificate> {
  const { domain } = row
  const { proof } = describeProof(platform, row, project)
  const [shown, doctor] = await Promise.all([platform.tlsProbe(domain), diagnose(platform, domain, proof)])
  if ('unreachable' in shown)
    return {
      domain,
      reachable: false,
      valid: false,
      issuer: null,
      subject: null,
      valid_from: null,
      valid_to: null,
      days_remaining: null,
      error: shown.unreachable,
      ...doctor,
    }
  return {
    domain,
    reachable: true,
    valid: shown.problem === undefined,
    issuer: shown.issuer,
    subject: shown.subject,
    valid_from: isoTime(shown.validFrom),
    valid_to: isoTime(shown.validTo),
    days_remaining: Math.floor((shown.validTo - platform.clock.now()) / dayMs),
    error: shown.problem ?? null,
    ...doctor,
  }
}
