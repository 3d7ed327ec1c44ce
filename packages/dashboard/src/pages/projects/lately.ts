// What happened last in the projects of a workspace.
import type { ListedProject } from '@svc/contract'
import { failedBuild } from './state.ts'

export interface LastDeploy {
  project: string
  deployment: NonNullable<ListedProject['last_deployment']>
}

export interface FailedBuild {
  project: string
  build: NonNullable<ListedProject['last_build']>
}

/** The builds that failed last in their projects. */
export const failedBuilds = (projects: readonly ListedProject[]): FailedBuild[] =>
  projects.flatMap(project => {
    const build = failedBuild(project)
    return build ? [{ project: project.name, build }] : []
  })

/** The last deployments of different projects, newest first. */
export const lastDeploys = (projects: readonly ListedProject[], count: number): LastDeploy[] =>
  projects
    .flatMap(({ name, last_deployment: deployment }) => (deployment ? [{ project: name, deployment }] : []))
    .sort((one, other) => other.deployment.at.localeCompare(one.deployment.at))
    .slice(0, count)
