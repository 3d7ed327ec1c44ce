// Certificates of hosts below the platform's domain that visitors ask for, where there is no wildcard certificate: previews,
// permanent URLs, shares, and projects that have none yet. Only hosts with a site get one.
import { secondMs } from '@svc/contract/durations'
import { addCertificate, findCertificate } from '../../store/domains/certificates.ts'
import { awaitedOnDemand, ownersAmong } from '../../store/domains/host-certificates.ts'
import type { SiteTarget } from '../base/labels.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { databaseRows } from '../base/row-source.ts'
import { type SiteReader, siteReader } from './sites.ts'

/** Certificates that visitors may make an owner wait for. Further hosts are refused until some of these are issued. */
const awaitedAtMost = 25
/** The next attempt is near enough to wait for it. */
const soonMs = 5 * secondMs

/** Returns whether the certificate of the host may be issued within seconds. */
export async function demandCertificate(
  platform: Rows & Pick<Platform, 'urls'>,
  host: string,
): Promise<boolean> {
  const { store, clock, urls } = platform
  const target = urls.siteAt(host)
  // Further spellings of a label lead to the same site. They are too many for certificates, and authorities refuse some.
  if (target === undefined || urls.hostOf(target) !== host) return false
  const known = await findCertificate(store.db, host)
  if (known) return known.state === 'issuing' || known.next_at <= clock.now() + soonMs
  const site = await findShown(siteReader(databaseRows(store.db)), target, clock.now())
  if (site === undefined) return false
  return await store.transact(async (tx, changed) => {
    const owner = (await ownersAmong(tx, [site.projectId])).get(site.projectId)?.owner
    if (owner === undefined) return false
    if (site.isPassing && (await awaitedOnDemand(tx, owner)) >= awaitedAtMost) return false
    const on_demand = site.isPassing ? 1 : 0
    await addCertificate(tx, { name: host, project_id: site.projectId, on_demand }, clock.now())
    await changed({ topic: 'certificate', key: host })
    return true
  })
}

interface ShownSite {
  projectId: string
  /** Its certificate is not renewed, unless visitors ask for it. */
  isPassing: boolean
}

export async function findShown(
  reader: SiteReader,
  target: SiteTarget,
  now: number,
): Promise<ShownSite | undefined> {
  const site = await reader.byName(target.project)
  if (site === undefined) {
    const moved = await reader.byFormerName(target.project)
    return moved && moved.until > now ? { projectId: moved.projectId, isPassing: true } : undefined
  }
  const { projectId, expiresAt } = site
  if (expiresAt !== undefined && expiresAt <= now) return undefined
  if (target.which === 'production') return { projectId, isPassing: expiresAt !== undefined }
  const preview =
    target.which === 'branch'
      ? await reader.branch(site, target.slug)
      : await reader.deployment(site, target.id)
  return preview && { projectId, isPassing: true }
}
