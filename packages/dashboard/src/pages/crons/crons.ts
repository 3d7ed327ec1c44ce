// The scheduled jobs of a project as the dashboard shows them, and the calls that change them.
import type { Answer, Cron, CronRun, EndpointTable } from '@svc/contract'
import { call } from '../../api.ts'
import { type Resource, useResource, writeResource } from '../../resource.ts'

type Crons = Answer<EndpointTable['GET /projects/:name/crons']>

const cronsKey = (project: string) => `crons of ${project}`
const runsKey = (id: string) => `runs of ${id}`

export function useCrons(project: string): Resource<Crons> {
  return useResource(
    cronsKey(project),
    () => call('GET /projects/:name/crons', { params: { name: project } }),
    { project, topics: ['cron'] },
  )
}

export function useRuns(project: string, id: string): Resource<CronRun[]> {
  return useResource(
    runsKey(id),
    async () => (await call('GET /projects/:name/crons/:id/runs', { params: { name: project, id } })).runs,
    { project, topics: ['cron'] },
  )
}

const write = (project: string, change: (crons: Cron[]) => Cron[]) =>
  writeResource<Crons>(cronsKey(project), shown => ({ ...shown, crons: change(shown.crons) }))

export async function addCron(
  project: string,
  body: Pick<Cron, 'schedule' | 'path' | 'method'>,
): Promise<void> {
  const made = await call('POST /projects/:name/crons', { params: { name: project }, body })
  write(project, crons => [...crons, made])
}

export async function changeCron(
  project: string,
  id: string,
  body: Partial<Pick<Cron, 'schedule' | 'path' | 'method' | 'enabled'>>,
): Promise<void> {
  const params = { name: project, id }
  const changed = await call('PATCH /projects/:name/crons/:id', { params, body })
  write(project, crons => crons.map(cron => (cron.id === id ? changed : cron)))
}

export async function removeCron(project: string, id: string): Promise<void> {
  await call('DELETE /projects/:name/crons/:id', { params: { name: project, id } })
  write(project, crons => crons.filter(cron => cron.id !== id))
}

export async function nextRunsOf(project: string, schedule: string): Promise<string[]> {
  const answer = await call('GET /projects/:name/crons/next', {
    params: { name: project },
    query: { schedule },
  })
  return answer.next_runs
}

/** Resolves when the site has answered. */
export async function runCron(project: string, id: string): Promise<CronRun> {
  const run = await call('POST /projects/:name/crons/:id/run', { params: { name: project, id } })
  const last = { last_run_at: run.started_at, last_status: run.status }
  write(project, crons => crons.map(cron => (cron.id === id ? { ...cron, ...last } : cron)))
  writeResource<CronRun[]>(runsKey(id), runs => [run, ...runs].slice(0, 20))
  return run
}
