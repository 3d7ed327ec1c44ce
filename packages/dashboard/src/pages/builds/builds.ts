// The repository of a project and its builds, as the dashboard shows them, and the calls that change them.
import type { Build, Forge, Repo } from '@svc/contract'
import { call, readText } from '../../api.ts'
import { type PagedList, pagedList } from '../../paged-list.ts'
import { forgetResource, type Resource, useResource, writeResource } from '../../resource.ts'
import { withoutTimes } from './lines.ts'

/** How often a page loads again while a build runs. */
export const lookEveryMs = 1_000

const repoKey = (project: string) => `repository of ${project}`
const buildKey = (id: string) => `build ${id}`

/** The connected repository. Null if there is none. */
export function useRepo(project: string): Resource<Repo | null> {
  return useResource(repoKey(project), async () => {
    const { repo } = await call('GET /projects/:name', { params: { name: project } })
    return repo
  })
}

export type RepoSettings = Pick<Repo, 'repo' | 'branch' | 'previews'> &
  Record<'build_cmd' | 'install_cmd' | 'output_dir' | 'root_dir', string> & {
    /** `elsewhere`: a host that the platform finds out from the URL. */
    forge?: Forge | 'elsewhere' | undefined
    access_token?: string | undefined
  }

export async function connectRepo(
  project: string,
  { forge, access_token, branch, ...settings }: RepoSettings,
): Promise<Repo> {
  const connected = await call('POST /projects/:name/repo', {
    params: { name: project },
    body: {
      ...settings,
      branch: branch || undefined,
      forge: forge === 'elsewhere' ? undefined : forge,
      access_token: access_token || undefined,
    },
  })
  writeResource<Repo | null>(repoKey(project), () => connected)
  return connected
}

/** Makes a repository with the files of a template, and connects it. */
export async function startFromTemplate(project: string, template: string): Promise<Repo> {
  const repo = await call('POST /projects/:name/template', { params: { name: project }, body: { template } })
  writeResource<Repo | null>(repoKey(project), () => repo)
  return repo
}

export async function disconnectRepo(project: string): Promise<void> {
  await call('DELETE /projects/:name/repo', { params: { name: project } })
  writeResource<Repo | null>(repoKey(project), () => null)
}

export type BuildFilter = Partial<Pick<Build, 'status' | 'branch'>>

const lists = new Map<string, PagedList<Build>>()

/** With the filter `none`, the list is empty and asks the API for nothing. */
export function buildsOf(project: string, filter: BuildFilter | 'none' = {}): PagedList<Build> {
  const key = `builds of ${project} ${JSON.stringify(filter)}`
  const known = lists.get(key)
  if (known) return known
  const list = pagedList<Build>(
    key,
    async page => {
      if (filter === 'none') return { rows: [], next_cursor: null }
      const { builds, next_cursor } = await call('GET /projects/:name/builds', {
        params: { name: project },
        query: { ...filter, ...page },
      })
      return { rows: builds, next_cursor }
    },
    { project, topics: ['build'] },
  )
  lists.set(key, list)
  return list
}

export const useBuild = (project: string, id: string): Resource<Build> =>
  useResource(buildKey(id), () => call('GET /projects/:name/builds/:id', { params: { name: project, id } }), {
    project,
    topics: ['build'],
  })

export async function startBuild(project: string, branch?: string): Promise<Build> {
  const build = await call('POST /projects/:name/builds', { params: { name: project }, body: { branch } })
  buildsOf(project).change(rows => [build, ...rows])
  return build
}

/** Builds the commit of an earlier build once more. */
export async function rebuild(project: string, id: string): Promise<Build> {
  const build = await call('POST /projects/:name/builds/:id/rebuild', { params: { name: project, id } })
  buildsOf(project).change(rows => [build, ...rows])
  return build
}

export async function cancelBuild(project: string, id: string): Promise<void> {
  await call('POST /projects/:name/builds/:id/cancel', { params: { name: project, id } })
  forgetResource(buildKey(id))
}

/** Returns the part of the log after `offset`, each line with its time, and the offset of its end. */
export async function readLog(
  project: string,
  id: string,
  offset: number,
): Promise<{ text: string; end: number }> {
  const input = { params: { name: project, id }, query: { offset: String(offset), timestamps: '1' as const } }
  const text = new TextDecoder().decode(await readText('GET /projects/:name/builds/:id/log', input))
  return { text, end: offset + new TextEncoder().encode(withoutTimes(text)).length }
}

export const isUnderWay = (build: Pick<Build, 'finished_at'>): boolean => build.finished_at === null

/** `12 s`, `3 min 20 s`; of a build under way, so far. */
export function duration({ started_at, finished_at }: Build, now: number): string {
  if (started_at === null) return ''
  const end = finished_at === null ? now : Date.parse(finished_at)
  const seconds = Math.max(0, Math.round((end - Date.parse(started_at)) / 1000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
