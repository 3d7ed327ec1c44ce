// What the edge needs to know of a site, and nothing more.
import type { DeploymentKind } from '@svc/contract'

/** A project as the edge sees it. */
export interface Site {
  projectId: string
  name: string
  /** The live deployment; undefined before the first upload. */
  active: SiteDeployment | undefined
  /** Temporary shares end at this time (milliseconds); checked on every request. */
  expiresAt: number | undefined
}

export interface SiteDeployment {
  id: string
  kind: DeploymentKind
  createdAt: number
}

/** The edge's own reads. Each is one prepared query. */
export interface SiteReader {
  byName(name: string): Promise<Site | undefined>
  /** Any deployment of the project that has files (live, superseded or branch), by its id. */
  deployment(projectId: string, deploymentId: string): Promise<SiteDeployment | undefined>
  /** The latest deployment of a branch, by the slug in its address. */
  branch(projectId: string, slug: string): Promise<SiteDeployment | undefined>
}
