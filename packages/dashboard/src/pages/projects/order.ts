// Which projects a search finds, in which order they are shown, and what happened last in them.
import type { ListedProject } from '@svc/contract'
import { failedBuild } from './state.ts'

export const sorts = [
  { value: 'deployed', title: 'Last deploy' },
  { value: 'name', title: 'Name' },
] as const

type Sort = (typeof sorts)[number]['value']

export const sortOf = (text: string | null): Sort => (text === 'name' ? 'name' : 'deployed')

/** A project without deployments counts from when it was made. */
const movedAt = ({ last_deployment, created_at }: ListedProject): string => last_deployment?.at ?? created_at

const orders: Record<Sort, (one: ListedProject, other: ListedProject) => number> = {
  deployed: (one, other) => movedAt(other).localeCompare(movedAt(one)),
  name: (one, other) => one.name.localeCompare(other.name),
}

/** The projects that have every word of the search in their name, starred ones first. */
export function arrange(
  projects: readonly ListedProject[],
  { search, sort }: { search: string; sort: Sort },
): ListedProject[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return projects
    .filter(({ name }) => words.every(word => name.includes(word)))
    .sort((one, other) => Number(other.starred) - Number(one.starred) || orders[sort](one, other))
}

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
