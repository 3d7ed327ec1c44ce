// The status of a domain in a word and a sentence, from its certificate, its DNS and the state of the issuance.
import type { Certificate } from '@svc/contract'
import { formatCount } from '../../format.ts'

export interface Verdict {
  word: string
  tone: 'green' | 'amber' | 'blue' | 'red' | 'hollow'
  /** Undefined where the word says it all. */
  sentence: string | undefined
}

/** The status of a domain that waits for proof of ownership. */
export const unproved: Verdict = {
  word: 'Not verified',
  tone: 'amber',
  sentence: 'The domain is not served yet. Point it here, or prove that it is yours.',
}

export function verdictOf(certificate: Certificate): Verdict {
  const { valid, issuance, error, days_remaining: days } = certificate
  if (valid) {
    const left = days === null ? undefined : `The certificate is good for another ${formatCount(days, 'day')}`
    // The platform does not renew the certificate of a proxy in front of it.
    const renews = issuance.state === 'off' ? '' : ' and renews itself'
    return { word: 'Secure', tone: 'green', sentence: left && `${left}${renews}.` }
  }
  if (issuance.state === 'issuing')
    return { word: 'Issuing', tone: 'blue', sentence: 'The certificate is being issued. This takes seconds.' }
  if (issuance.state === 'failed')
    return { word: 'Failed', tone: 'red', sentence: issuance.last_error ?? undefined }
  if (issuance.state === 'pending')
    return {
      word: certificate.dns.points_here ? 'Waiting' : 'Waiting for DNS',
      tone: 'amber',
      sentence: issuance.waiting_for ?? undefined,
    }
  if (issuance.state === 'off')
    return { word: 'No certificate', tone: 'hollow', sentence: issuance.waiting_for ?? undefined }
  return { word: 'Issued', tone: 'amber', sentence: `Visitors do not see it yet: ${error}.` }
}

/** Whether the status will not change soon by itself. */
export const isSettled = ({ valid, issuance }: Certificate): boolean => valid || issuance.state === 'off'
