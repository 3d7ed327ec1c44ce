// Has a domain's certificate looked at now instead of later. The budget at the authority is kept all the same.
import { hasten, readyAmong } from '../../store/certificates.ts'
import type { Platform } from '../platform.ts'

export async function refreshCertificate(
  platform: Platform,
  domain: string,
): Promise<{ tls_ready: boolean }> {
  return await platform.store.transact(async (tx, changed) => {
    if (await hasten(tx, domain, platform.clock.now())) await changed({ topic: 'certificate', key: domain })
    return { tls_ready: (await readyAmong(tx, [domain])).has(domain) }
  })
}
