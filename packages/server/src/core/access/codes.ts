// One-time codes: the dashboard redirects a signed-in member to a site of their org with such a code.
import { limits } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { newSecret, sha256 } from '../../lib/ids.ts'
import { returnPath } from '../../lib/site-paths.ts'
import { insertAccessCode } from '../../store/access/access.ts'
import { findDomain } from '../../store/domains/domains.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { previewModeOf } from './preview-access.ts'

/** The URL to redirect to: the site with a code, or without one if the site needs none. */
export async function admissionUrl(
  platform: Rows & Pick<Platform, 'urls'>,
  caller: Caller,
  project: ProjectScope,
  wish: { host: string; to?: string | undefined },
): Promise<string> {
  const host = wish.host.toLowerCase()
  const origin = platform.urls.origin(host)
  const to = returnPath(wish.to)
  if ((await modeAt(platform, project, host)) !== 'org') return origin + to
  const code = newSecret()
  await insertAccessCode(platform.store.db, {
    code_hash: sha256(code),
    project_id: project.id,
    account_id: caller.account.id,
    host,
    expires_at: platform.clock.now() + limits.accessCodeSeconds * 1000,
  })
  return `${origin}/_svc/access?${new URLSearchParams({ code, to })}`
}

/** Who may see the host. A code must never be sent to a host that does not belong to the project. */
async function modeAt(
  { urls, store }: Pick<Platform, 'store' | 'urls'>,
  project: ProjectScope,
  host: string,
): Promise<ProjectScope['access_mode']> {
  const target = urls.siteAt(host)
  const domain = target === undefined ? await findDomain(store.db, host) : undefined
  if (target === undefined ? domain?.project_id !== project.id : target.project !== project.name)
    throw new Fault('invalid_request', `host: is not an address of the project '${project.name}'.`)
  const isPreview = target ? target.which !== 'production' : domain?.deployment_id != null
  const ofPreviews = isPreview ? await previewModeOf(store.db, project.id) : 'site'
  return ofPreviews === 'site' ? project.access_mode : ofPreviews
}
