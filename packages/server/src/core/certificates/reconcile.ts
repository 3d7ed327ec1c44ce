// Certificates as they should be: one for every domain, renewed in time; compared with the rows, again and again.
import { randomText } from '../../lib/ids.ts'
import { addMissing, addOwn, claimCertificate, dueCertificates } from '../../store/certificates.ts'
import type { Platform } from '../platform.ts'
import { Claim } from './claim.ts'
import { type Issuing, issue } from './issue.ts'

/** A claim that is not renewed was cut off, and another goes on. */
const claimMs = 60_000
const renewClaimMs = 15_000
const atOnce = 5

/** Works on what is due; answers with how many names it got somewhere. */
export async function reconcileCertificates(
  platform: Platform,
  issuing: Issuing,
  onError: (error: unknown, name: string) => void,
): Promise<number> {
  const { store, clock } = platform
  await addMissing(store.db, clock.now())
  if (issuing.dns01) await addOwn(store.db, ownName(platform), clock.now())
  const due = await dueCertificates(store.db, clock.now(), atOnce)
  const outcomes = await Promise.allSettled(due.map(name => attempt(platform, issuing, name)))
  for (const [index, outcome] of outcomes.entries())
    if (outcome.status === 'rejected') onError(outcome.reason, due[index] ?? '')
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

/** The platform's own certificate, for its domain and all that is right below. */
export const ownName = ({ domain }: Pick<Platform, 'domain'>): string => `*.${domain}`

async function attempt(platform: Platform, issuing: Issuing, name: string): Promise<void> {
  const now = platform.clock.now()
  const row = await claimCertificate(platform.store.db, name, randomText(16), { now, until: now + claimMs })
  if (!row) return
  const claim = new Claim(platform, row)
  const beat = setInterval(() => {
    claim.extend(platform.clock.now() + claimMs).catch(() => undefined) // Lost: the next write says so.
  }, renewClaimMs).unref()
  try {
    await issue(platform, issuing, claim)
  } finally {
    clearInterval(beat)
  }
}
