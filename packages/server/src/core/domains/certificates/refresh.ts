// Checks a domain's certificate now instead of later. The limits on orders still apply.
import { hasten, readyAmong } from '../../../store/domains/certificates.ts'
import { audit } from '../../base/audit.ts'
import type { Caller } from '../../base/caller.ts'
import type { DomainProofs, Platform, Rows } from '../../base/platform.ts'
import type { ProjectScope } from '../../orgs/rights.ts'
import { lockDomain, ownDomain } from '../domains.ts'
import { verifyWaiting } from '../proof.ts'

/** Does nothing if a node works on it, or if it is stored and not due. */
export async function refreshCertificate(
  platform: Rows & DomainProofs & Pick<Platform, 'domain'>,
  caller: Caller,
  project: ProjectScope,
  input: string,
): Promise<{ domain: string; tls_ready: boolean }> {
  const row = await ownDomain(platform, platform.store.db, project, input)
  if (row.verified_at === null) await verifyWaiting(platform, row, project)
  return await platform.store.transact(async (tx, changed) => {
    const { domain } = await lockDomain(platform, tx, project, input)
    if (await hasten(tx, domain, platform.clock.now())) {
      await audit(platform, tx, caller, { action: 'certificate.refresh', project, target: domain })
      await changed({ topic: 'certificate', key: domain })
    }
    return { domain, tls_ready: (await readyAmong(tx, [domain])).has(domain) }
  })
}
