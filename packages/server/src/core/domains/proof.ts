// Proof of domain ownership: a TXT record with a value for this account or org. With
// `SVCD_DOMAIN_PROOF=always`, DNS records that point to this platform count as proof, too.

import { dayMs } from '@svc/contract/durations'
import { sha256 } from '../../lib/ids.ts'
import { type Owner, ownerId } from '../../store/billing/plan-usage.ts'
import { type DomainHolder, findHolder, setVerified } from '../../store/domains/domains.ts'
import { findRelease, noteRelease } from '../../store/domains/releases.ts'
import type { Db, Tx } from '../../store/store.ts'
import type { DomainReleaseRow, DomainRow, ProjectRow } from '../../store/tables.ts'
import type { DomainProofs, Platform, Rows } from '../base/platform.ts'
import { lookUp } from './certificates/pointing.ts'
import { nextProofCheck } from './certificates/times.ts'

export interface ProofRecord {
  type: 'TXT'
  name: string
  value: string
}

/** The value is not secret: only someone who controls the DNS can create the record. */
export const proofRecord = (domain: string, owner: Owner): ProofRecord => ({
  type: 'TXT',
  name: `_svc-challenge.${domain}`,
  value: `svc-verify=${sha256(`domain ${domain} of ${ownerId(owner)}`).slice(0, 40)}`,
})

export interface Evidence {
  /** The record is there. */
  txt: boolean
  /** The domain points to the platform. Only checked if that counts as proof. */
  pointing: boolean
}

const noEvidence: Evidence = { txt: false, pointing: false }

async function gather(platform: DomainProofs, domain: string, owner: Owner): Promise<Evidence> {
  const { name, value } = proofRecord(domain, owner)
  const [values, where] = await Promise.all([
    platform.dns.txt(name).catch((): string[] => []), // No server answered: nothing is proved.
    platform.domainProof === 'always' ? lookUp(platform, domain) : undefined,
  ])
  return { txt: values.some(found => found.trim() === value), pointing: where?.pointsHere ?? false }
}

/** For this long after a detach, only the former owner may attach the domain without proof. */
export const releaseMs = 30 * dayMs

/** The former owner for whom the domain is reserved. `undefined` if it is free. */
export async function formerOwner(
  { domainProof, clock }: Pick<Platform, 'clock' | 'domainProof'>,
  db: Db,
  domain: string,
): Promise<DomainReleaseRow | undefined> {
  if (domainProof === 'off') return undefined
  const release = await findRelease(db, domain)
  return release && release.released_at + releaseMs > clock.now() ? release : undefined
}

/** Reserves a detached domain for its owner, unless it was never served. */
export async function releaseDomain(
  tx: Tx,
  { domain, verified_at }: Pick<DomainRow, 'domain' | 'verified_at'>,
  owner: Owner,
  now: number,
): Promise<void> {
  if (verified_at !== null) await noteRelease(tx, { domain, owner_id: ownerId(owner), released_at: now })
}

/** Looks for proof if the attach needs it. Runs before the transaction, because DNS may be slow. */
export async function evidenceFor(
  platform: Rows & DomainProofs,
  domain: string,
  project: ProjectRow,
): Promise<Evidence> {
  if (platform.domainProof === 'off') return noEvidence
  const { db } = platform.store
  const holder = await findHolder(db, domain)
  const release = holder ? undefined : await formerOwner(platform, db, domain)
  return mattersTo(platform, project, holder, release) ? await gather(platform, domain, project) : noEvidence
}

function mattersTo(
  { domainProof }: Pick<Platform, 'domainProof'>,
  project: ProjectRow,
  holder: DomainHolder | undefined,
  release: DomainReleaseRow | undefined,
): boolean {
  if (holder?.project_id === project.id) return holder.verified_at === null
  if (holder) return ownerId(holder) !== ownerId(project)
  return domainProof === 'always' || (release !== undefined && release.owner_id !== ownerId(project))
}

/** Looks again at a domain that waits for proof. Returns true if it is served from now on. */
export async function verifyWaiting(
  platform: Rows & DomainProofs,
  row: DomainRow,
  owner: Owner,
): Promise<boolean> {
  const { txt, pointing } = await gather(platform, row.domain, owner)
  if (!txt && !pointing) return false
  return await platform.store.transact(async (tx, changed) => {
    if (!(await setVerified(tx, row, platform.clock.now()))) return false
    await changed({ topic: 'domain', key: row.domain })
    return true
  })
}

/** When a new domain is served from: now, or `null` until it is proved. */
export function verification(
  { domainProof, clock }: Pick<Platform, 'clock' | 'domainProof'>,
  { txt, pointing }: Evidence,
  isFormerOwner: boolean,
): Pick<DomainRow, 'verified_at' | 'next_look_at'> {
  const now = clock.now()
  const isProved = domainProof !== 'always' || txt || pointing || isFormerOwner
  return isProved
    ? { verified_at: now, next_look_at: null }
    : { verified_at: null, next_look_at: nextProofCheck(now, now) }
}

/** The proof as the API shows it, if proof is always required. */
export function describeProof(
  { domainProof }: Pick<Platform, 'domainProof'>,
  row: Pick<DomainRow, 'domain' | 'verified_at'>,
  owner: Owner,
): { verified?: boolean; proof?: ProofRecord | null } {
  if (domainProof !== 'always') return {}
  const isVerified = row.verified_at !== null
  return { verified: isVerified, proof: isVerified ? null : proofRecord(row.domain, owner) }
}
