// Has a domain's certificate looked at now instead of later. The budget at the authority is kept all the same.
import { hasten, readyAmong } from '../../store/certificates.ts'
import { audit } from '../audit.ts'
import type { Caller } from '../callers.ts'
import { verifyWaiting } from '../domain-proof.ts'
import { holdDomain, ownDomain } from '../domains.ts'
import type { Platform } from '../platform.ts'
import type { ProjectScope } from '../rights.ts'

/** Where someone is at it, or it is stored and not due, nothing happens. */
export async function refreshCertificate(
  platform: Platform,
  caller: Caller,
  project: ProjectScope,
  input: string,
): Promise<{ domain: string; tls_ready: boolean }> {
  const row = await ownDomain(platform, platform.store.db, project, input)
  if (row.verified_at === null) await verifyWaiting(platform, row, project)
  return await platform.store.transact(async (tx, changed) => {
    const { domain } = await holdDomain(platform, tx, project, input)
    if (await hasten(tx, domain, platform.clock.now())) {
      await audit(platform, tx, caller, { action: 'certificate.refresh', project, target: domain })
      await changed({ topic: 'certificate', key: domain })
    }
    return { domain, tls_ready: (await readyAmong(tx, [domain])).has(domain) }
  })
}
