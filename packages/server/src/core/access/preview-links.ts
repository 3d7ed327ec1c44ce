// Share links: whoever has the link sees one protected preview, until the link expires or is revoked.
import { type CreatedPreviewLink, limits, type PreviewLink } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { newId, newSecret, sha256 } from '../../lib/ids.ts'
import {
  deletePreviewLink,
  findBranchSlug,
  insertPreviewLink,
  listPreviewLinks,
  type PreviewLinkWithLogin,
} from '../../store/access/preview-links.ts'
import { findStored } from '../../store/deployments/stored.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Db } from '../../store/store.ts'
import type { PreviewLinkRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import { isoTime } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { sharePath } from './guard.ts'
import { previewModeOf } from './preview-access.ts'

type LinkParts = Rows & Pick<Platform, 'urls'>

interface Wish {
  branch?: string | undefined
  deployment_id?: string | undefined
  expires_at?: string | undefined
}

export async function previewLinksOf(platform: LinkParts, project: ProjectScope): Promise<PreviewLink[]> {
  const rows = await listPreviewLinks(platform.store.db, project.id, platform.clock.now())
  return rows.map(row => describe(platform, project, row))
}

/** Only this answer contains the URL with the secret, because the database stores a hash of it. */
export async function createPreviewLink(
  platform: LinkParts,
  caller: Caller,
  project: ProjectScope,
  wish: Wish,
): Promise<CreatedPreviewLink> {
  const now = platform.clock.now()
  const preview = await previewOf(platform.store.db, project, wish)
  const secret = newSecret()
  const row: PreviewLinkRow = {
    id: newId('lnk'),
    project_id: project.id,
    ...preview,
    secret_hash: sha256(secret),
    created_by: caller.account.id,
    created_at: now,
    expires_at: expiryOf(wish, now),
  }
  const link = describe(platform, project, { ...row, created_by_login: caller.account.login })
  await platform.store.transact(async (tx, changed) => {
    // The project's row is locked, so that two concurrent calls cannot exceed the limit.
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    if (project.access_mode === 'public' && (await previewModeOf(tx, project.id)) === 'site')
      throw new Fault(
        'invalid_request',
        `The previews of '${project.name}' are public, so this URL is enough: ${link.preview_url}`,
      )
    if ((await listPreviewLinks(tx, project.id, now)).length >= limits.previewLinks)
      throw new Fault(
        'invalid_request',
        `A project may have at most ${limits.previewLinks} share links. Revoke one first: svc previews revoke <id>`,
      )
    await insertPreviewLink(tx, row)
    await audit(platform, tx, caller, { action: 'preview_link.create', project, ...auditOf(row) })
    await siteChanged(tx, changed, project)
  })
  return { ...link, url: `${link.preview_url}${sharePath}?key=${secret}` }
}

function expiryOf({ expires_at }: Wish, now: number): number {
  const { max, default: usual } = limits.previewLinkDays
  if (expires_at === undefined) return now + usual * dayMs
  const at = Date.parse(expires_at)
  if (at <= now || at > now + max * dayMs)
    throw new Fault('invalid_request', `expires_at: must be in the next ${max} days.`)
  return at
}

export async function revokePreviewLink(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  id: string,
): Promise<void> {
  await platform.store.transact(async (tx, changed) => {
    const row = await deletePreviewLink(tx, project.id, id)
    if (row === undefined)
      throw new Fault('not_found', `There is no share link '${id.slice(0, 60)}' in this project.`)
    await audit(platform, tx, caller, { action: 'preview_link.revoke', project, ...auditOf(row) })
    await siteChanged(tx, changed, project)
  })
}

const auditOf = ({ id, preview, branch, expires_at }: PreviewLinkRow) => ({
  target: id,
  details: { preview: branch ?? preview, expires_at: isoTime(expires_at) },
})

/** The preview that a link is for. It must have a deployment, because a misspelled branch would give a link to nothing. */
async function previewOf(
  db: Db,
  project: ProjectScope,
  { branch, deployment_id: id }: Wish,
): Promise<Pick<PreviewLinkRow, 'preview' | 'branch'>> {
  if ((branch === undefined) === (id === undefined))
    throw new Fault('invalid_request', 'Name what to share: branch or deployment_id, and not both.')
  if (id !== undefined) {
    if ((await findStored(db, project.id, id)).rows.length === 0)
      throw new Fault('not_found', `There is no deployment '${id}' with files in this project.`)
    return { preview: id, branch: null }
  }
  const slug = await findBranchSlug(db, project.id, branch ?? '')
  if (slug === undefined)
    throw new Fault('not_found', `There is no preview of the branch '${branch}' in this project.`)
  return { preview: slug, branch: branch ?? null }
}

function describe({ urls }: LinkParts, project: ProjectScope, row: PreviewLinkWithLogin): PreviewLink {
  const { id, preview, branch } = row
  return {
    id,
    branch,
    deployment_id: branch === null ? preview : null,
    preview_url:
      branch === null ? urls.deployment(preview, project.name) : urls.branch(preview, project.name),
    created_at: isoTime(row.created_at),
    created_by: row.created_by_login,
    expires_at: isoTime(row.expires_at),
  }
}
