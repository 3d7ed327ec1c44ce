// The primary domain of a project, and domains that redirect to another domain of it, such as www to the bare domain.
import { Fault } from '../../lib/fault.ts'
import { endRedirectsTo, listDomains, setPrimary, setRedirect } from '../../store/domains/domains.ts'
import type { Changed, Tx } from '../../store/store.ts'
import type { DomainRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { domainName } from './names.ts'

type DomainNames = Pick<Platform, 'clock' | 'dnsTarget' | 'domain'>

/** Lets a domain redirect to another, or show the site again with `null`. */
export async function redirectDomain(
  platform: DomainNames,
  tx: Tx,
  changed: Changed,
  { caller, project }: { caller: Caller; project: ProjectScope },
  row: DomainRow,
  input: string | null,
): Promise<DomainRow> {
  const redirect_to = input === null ? null : domainName(input, platform)
  if (redirect_to === row.redirect_to) return row
  if (redirect_to !== null) checkRedirect(row, redirect_to, await listDomains(tx, project.id))
  await setRedirect(tx, row.domain, redirect_to)
  const details = { to: redirect_to }
  await audit(platform, tx, caller, { action: 'domain.redirect', project, target: row.domain, details })
  await changed({ topic: 'domain', key: row.domain })
  return { ...row, redirect_to }
}

/** A redirect leads to a domain that shows the site, in one step: there are no chains and no loops. */
function checkRedirect({ domain, is_primary }: DomainRow, to: string, domains: DomainRow[]): void {
  const target = domains.find(other => other.domain === to)
  const from = domains.find(other => other.redirect_to === domain)
  const problem =
    (to === domain && 'A domain cannot redirect to itself.') ||
    (!target && `'${to}' is not a domain of this project. Add it first.`) ||
    (target?.verified_at === null && `'${to}' is not verified yet, so nobody would see the site there.`) ||
    (target?.redirect_to &&
      `'${to}' redirects to '${target.redirect_to}'. Redirect to that domain instead.`) ||
    (from && `'${from.domain}' redirects to '${domain}'. Change that redirect first.`) ||
    (is_primary === 1 && `'${domain}' is the primary domain. Make another domain the primary one first.`)
  if (problem) throw new Fault('invalid_request', `redirect_to: ${problem}`)
}

/** Makes a domain the primary one of its project, or none if it was that one. */
export async function choosePrimary(
  platform: DomainNames,
  tx: Tx,
  { caller, project }: { caller: Caller; project: ProjectScope },
  row: DomainRow,
  isPrimary: boolean,
): Promise<DomainRow> {
  if ((row.is_primary === 1) === isPrimary) return row
  if (isPrimary && row.redirect_to !== null)
    throw new Fault('invalid_request', `primary: '${row.domain}' redirects to '${row.redirect_to}'.`)
  if (isPrimary && row.verified_at === null)
    throw new Fault('invalid_request', `primary: '${row.domain}' is not verified yet.`)
  await setPrimary(tx, project.id, isPrimary ? row.domain : undefined)
  const details = { primary: isPrimary }
  await audit(platform, tx, caller, { action: 'domain.primary', project, target: row.domain, details })
  return { ...row, is_primary: isPrimary ? 1 : 0 }
}

/** When a domain leaves its project, the domains that redirected to it show the site again. */
export async function forgetRedirects(tx: Tx, changed: Changed, domain: string): Promise<void> {
  for (const other of await endRedirectsTo(tx, domain)) await changed({ topic: 'domain', key: other })
}
