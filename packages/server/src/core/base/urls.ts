// Every public URL the platform writes, from one place.
import {
  branchLabel,
  deploymentLabel,
  labelOf,
  originOf,
  type PublicAddress,
  readLabel,
  type SiteTarget,
  siteUrl,
} from './labels.ts'

export interface Urls {
  readonly api: string
  readonly dashboard: string
  readonly docs: string
  /** The AI gateway. */
  readonly ai: string
  site(project: string): string
  branch(slug: string, project: string): string
  /** The permanent link of a deployment. */
  deployment(id: string, project: string): string
  /** What a host below the platform's domain asks for. */
  siteAt(host: string): SiteTarget | undefined
  /** The host of a site below the platform's domain. Others may lead to the same site. */
  hostOf(target: SiteTarget): string
  /** Where a browser reaches a host. */
  origin(host: string): string
}

export const urlsAt = (address: PublicAddress): Urls => ({
  // Many systems resolve `localhost` but none of its subdomains; the bare domain reaches the API too.
  api: address.domain === 'localhost' ? siteUrl(address, '').replace('//.', '//') : siteUrl(address, 'api'),
  dashboard: siteUrl(address, 'app'),
  docs: siteUrl(address, 'docs'),
  ai: siteUrl(address, 'ai'),
  site: project => siteUrl(address, project),
  branch: (slug, project) => siteUrl(address, branchLabel(slug, project)),
  deployment: (id, project) => siteUrl(address, deploymentLabel(id, project)),
  siteAt: host =>
    host.endsWith(`.${address.domain}`) ? readLabel(host.slice(0, -address.domain.length - 1)) : undefined,
  hostOf: target => `${labelOf(target)}.${address.domain}`,
  origin: host => originOf(address, host),
})
