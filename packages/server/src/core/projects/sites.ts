// The facts about a site that the edge needs.
import type { DeploymentKind } from '@svc/contract'
import { Secret } from '../../lib/secret.ts'
import { findPreviewLinks } from '../../store/access/preview-links.ts'
import { findLatestOfBranch, findStored } from '../../store/deployments/stored.ts'
import { findNewestOfSameBranch, findSuperseded } from '../../store/deployments/superseded.ts'
import { findDomainTarget } from '../../store/domains/domains.ts'
import { findMovedSite } from '../../store/projects/former-names.ts'
import { findSite } from '../../store/projects/projects.ts'
import type { Guard, GuardLink } from '../access/guard.ts'
import type { SiteTarget } from '../base/labels.ts'
import type { RowPlace, RowSource } from '../base/row-source.ts'

/** A project as the edge sees it. */
export interface Site {
  projectId: string
  name: string
  /** The live deployment. `undefined` before the first upload. */
  active: SiteDeployment | undefined
  /** When a temporary share ends, in milliseconds. Checked on every request. */
  expiresAt: number | undefined
  /** Who may see production. `undefined` if everyone may. */
  guard: Guard | undefined
  /** Who may see its previews. */
  previewGuard: Guard | undefined
  /** Set by the operator. Visitors of all hosts get its page. */
  suspension?: SiteSuspension | undefined
}

export interface SiteSuspension {
  status: 451 | 503
  reason: string
}

export interface SiteDeployment {
  id: string
  kind: DeploymentKind
  createdAt: number
  /** The framework of a server, which decides which files the edge serves itself (core/deployments/frameworks). */
  framework: string | null
}

/** A deployment that a host showed before its current one. */
export interface EarlierDeployment extends SiteDeployment {
  supersededAt: number
}

/** What a host shows: production or the latest deployment of a branch. */
export type Line = 'production' | 'branch'

/** A custom domain that redirects to another domain of its project. */
export interface DomainRedirect {
  which: 'redirect'
  projectId: string
  domain: string
}

/** A project that was renamed. */
export interface MovedSite {
  projectId: string
  /** Its name now. */
  name: string
  /** When the former name stops leading to it. Checked on every request. */
  until: number
}

export type SiteId = Pick<Site, 'projectId' | 'name'>

/** The queries of the edge. Each is one prepared query. */
export interface SiteReader {
  byName(name: string): Promise<Site | undefined>
  /** The project that had this name before, for a name that no project has now. */
  byFormerName(name: string): Promise<MovedSite | undefined>
  /** What a custom domain shows, or where it redirects to. */
  byDomain(domain: string): Promise<SiteTarget | DomainRedirect | undefined>
  /** Any deployment of the project that has files (live, superseded or branch), by its id. */
  deployment(site: SiteId, deploymentId: string): Promise<SiteDeployment | undefined>
  /** The latest deployment of a branch, by the slug in its address. */
  branch(site: SiteId, slug: string): Promise<SiteDeployment | undefined>
  /** The share links of a preview, by the slug of its branch or the id of its deployment. */
  previewLinks(site: SiteId, preview: string): Promise<GuardLink[]>
  /** What a host showed before `current`, the newest first, if it was superseded after `since`. */
  earlier(projectId: string, current: string, line: Line, since: number): Promise<EarlierDeployment[]>
}

export const siteReader = (source: RowSource): SiteReader => ({
  async byName(name) {
    const [row] = await source.rows(ofProject(name, 'site'), db => findSite(db, name))
    if (!row) return undefined
    return {
      projectId: row.project_id,
      name: row.name,
      active: row.deployment_id
        ? deploymentOf({
            id: row.deployment_id,
            kind: row.kind!,
            created_at: row.created_at!,
            framework: row.framework,
          })
        : undefined,
      expiresAt: row.expires_at ?? undefined,
      guard: guardOf(row, row.access_mode, row.password_hash),
      previewGuard: guardOf(
        row,
        row.preview_mode ?? row.access_mode,
        row.preview_mode === null ? row.password_hash : row.preview_password_hash,
      ),
      suspension: row.suspended_status
        ? { status: row.suspended_status, reason: row.suspended_reason ?? '' }
        : undefined,
    }
  },
  async byFormerName(name) {
    const [row] = await source.rows(ofProject(name, 'moved'), db => findMovedSite(db, name))
    return row && { projectId: row.project_id, name: row.project, until: row.until }
  },
  async byDomain(domain) {
    const place: RowPlace = { topic: 'domain', key: domain, part: 'target' }
    const [row] = await source.rows(place, db => findDomainTarget(db, domain))
    if (!row) return undefined
    const { project, deployment_id: id } = row
    if (row.redirect_to) return { which: 'redirect', projectId: row.project_id, domain: row.redirect_to }
    return id ? { project, which: 'pinned', id } : { project, which: 'production' }
  },
  async deployment({ projectId, name }, id) {
    const place = ofProject(name, `deployment ${id}`)
    const [row] = await source.rows(place, db => findStored(db, projectId, id))
    return row && deploymentOf(row)
  },
  async branch({ projectId, name }, slug) {
    const place = ofProject(name, `branch ${slug}`)
    const [row] = await source.rows(place, db => findLatestOfBranch(db, projectId, slug))
    return row && deploymentOf(row)
  },
  async previewLinks({ projectId, name }, preview) {
    const place = ofProject(name, `links ${preview}`)
    const rows = await source.rows(place, db => findPreviewLinks(db, projectId, preview))
    return rows.map(row => ({ id: row.id, secretHash: row.secret_hash, expiresAt: row.expires_at }))
  },
  async earlier(projectId, current, line, since) {
    if (line === 'branch') return earlierOfBranch(source, projectId, current, since)
    const rows = await source.rows(undefined, db => findSuperseded(db, projectId, since))
    return rows.map(row => ({ ...deploymentOf(row), supersededAt: row.superseded_at! }))
  },
})

const ofProject = (key: string, part: string): RowPlace => ({ topic: 'project', key, part })

/** A deployment of a branch is superseded when the next one of the branch is finished. */
async function earlierOfBranch(source: RowSource, projectId: string, current: string, since: number) {
  const rows = await source.rows(undefined, db => findNewestOfSameBranch(db, projectId, current))
  return rows.flatMap((row, i) => {
    const next = rows[i - 1]
    if (next === undefined || row.id === current) return []
    const supersededAt = next.finished_at ?? next.created_at
    return supersededAt > since ? [{ ...deploymentOf(row), supersededAt }] : []
  })
}

type SiteRow = Awaited<ReturnType<typeof findSite>>['rows'][number]

function guardOf(
  { project_id, name, access_generation }: SiteRow,
  mode: SiteRow['access_mode'],
  passwordHash: string | null,
): Guard | undefined {
  if (mode === 'public') return undefined
  const guard = { projectId: project_id, project: name, generation: access_generation }
  if (mode === 'org') return { ...guard, mode }
  return { ...guard, mode, passwordHash: passwordHash ? new Secret(passwordHash) : undefined }
}

interface Row {
  id: string
  kind: DeploymentKind
  created_at: number
  framework: string | null
}

const deploymentOf = ({ id, kind, created_at, framework }: Row): SiteDeployment => ({
  id,
  kind,
  createdAt: created_at,
  framework,
})
