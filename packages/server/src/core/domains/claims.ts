// Claims of a domain that another owner has attached or recently detached. The claimant must prove ownership by DNS.
import { Fault } from '../../lib/fault.ts'
import { ownerId } from '../../store/billing/plan-usage.ts'
import { type DomainHolder, findHolder, insertDomain, moveDomain } from '../../store/domains/domains.ts'
import { deleteRelease } from '../../store/domains/releases.ts'
import { ownerEmails } from '../../store/identity/accounts.ts'
import type { Tx } from '../../store/store.ts'
import type { DomainRow, NewDomainRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { spendMail } from '../base/mail-limits.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { type Evidence, formerOwner, proofRecord, releaseMs, verification } from './proof.ts'

type NewDomain = Omit<NewDomainRow, 'verified_at' | 'next_look_at'>

interface Taken {
  row: DomainRow
  /** The project that had the domain before. `undefined` if the domain was free. */
  from: DomainHolder | undefined
}

/** Attaches a domain that is not this project's, if it is free or the evidence is good enough. */
export async function takeDomain(
  platform: Pick<Platform, 'clock' | 'domainProof'>,
  tx: Tx,
  by: { caller: Caller; project: ProjectScope; evidence: Evidence },
  domain: NewDomain,
): Promise<Taken> {
  const { project, evidence } = by
  const holder = await findHolder(tx, domain.domain)
  if (holder) return await takeFrom(platform, tx, by, domain, holder)
  const release = await formerOwner(platform, tx, domain.domain)
  const isFormerOwner = release?.owner_id === ownerId(project)
  if (release && !isFormerOwner && !evidence.txt) throw released(domain.domain, project, release.released_at)
  const row = { ...domain, ...verification(platform, evidence, isFormerOwner) }
  if (!(await insertDomain(tx, row))) throw justTaken(domain.domain)
  await deleteRelease(tx, row.domain)
  return { row: asRow(row), from: undefined }
}

/** Moves a domain from another owner to this project. It keeps its certificate: the former owner never had the key. */
async function takeFrom(
  platform: Pick<Platform, 'clock' | 'domainProof'>,
  tx: Tx,
  { caller, project, evidence }: { caller: Caller; project: ProjectScope; evidence: Evidence },
  domain: NewDomain,
  holder: DomainHolder,
): Promise<Taken> {
  const isOwn = ownerId(holder) === ownerId(project)
  if (isOwn || platform.domainProof === 'off') throw attachedElsewhere(domain.domain, isOwn)
  if (!evidence.txt) throw heldByAnother(domain.domain, project)
  const row = { ...domain, ...verification(platform, evidence, false) }
  // The domain's row comes first. To refer to the former project beforehand could deadlock with its deletion.
  if (!(await moveDomain(tx, holder.project_id, row))) throw justTaken(domain.domain)
  const former = { id: holder.project_id, org_id: holder.org_id }
  const entry = { action: 'domain.move', target: domain.domain } as const
  await audit(platform, tx, 'another owner', { ...entry, project: former, details: { to: 'another owner' } })
  await audit(platform, tx, caller, { ...entry, project, details: { from: 'another owner' } })
  await deleteRelease(tx, domain.domain)
  return { row: asRow(row), from: holder }
}

const asRow = (row: NewDomainRow): DomainRow => ({ ...row, redirect_to: null, is_primary: 0 })

/** Called after the transaction. If the email is lost, the audit log still has the change. */
export async function tellFormerHolder(
  platform: PlanSettings & Rows & Pick<Platform, 'mailer' | 'urls'>,
  domain: string,
  from: DomainHolder,
): Promise<void> {
  const { mailer, store, urls } = platform
  if (!mailer.isConfigured) return
  const subject = `${domain} was moved to another owner`
  const text = `Somebody proved by a DNS record that the domain ${domain} is theirs, and attached it to a project of their own.
It no longer shows your project ${from.project_name}.

If the domain is yours, look at who may change its DNS: remove the TXT record _svc-challenge.${domain}, then attach the
domain again. The page of your domains shows the record to create:
${urls.dashboard}/projects/${from.project_name}/domains
`
  // The holder's email address is not confirmed, so moving a domain back and forth must not flood a stranger's mailbox.
  for (const to of await ownerEmails(store.db, from))
    if ((await spendMail(platform, { ownerId: ownerId(from), to, recipient: 'stranger' })) === undefined)
      await mailer.send({ to, subject, text })
}

function heldByAnother(domain: string, project: ProjectScope): Fault {
  return claimable(`The domain '${domain}' is attached to a project of another owner.`, domain, project)
}

function released(domain: string, project: ProjectScope, at: number): Fault {
  const until = isoTime(at + releaseMs).slice(0, 10)
  const words = `The domain '${domain}' was detached by another owner, who alone may attach it without proof until ${until}.`
  return claimable(words, domain, project)
}

function claimable(words: string, domain: string, project: ProjectScope): Fault {
  const proof = proofRecord(domain, project)
  const record = `${proof.name} TXT ${proof.value}`
  return new Fault(
    'domain_taken',
    `${words} If it is yours, create this DNS record, then add the domain again: ${record}`,
    { proof },
  )
}

function attachedElsewhere(domain: string, isOwn: boolean): Fault {
  const whose = isOwn ? 'another project of yours' : 'another project'
  return new Fault('domain_taken', `The domain '${domain}' is attached to ${whose}. Detach it there first.`)
}

const justTaken = (domain: string): Fault =>
  new Fault('domain_taken', `The domain '${domain}' was attached by somebody else just now. Try again.`)
