// The environment variables of a project as the dashboard shows them, and the calls that change them.
import type { EnvScope, EnvVar, ProjectDetail } from '@svc/contract'
import type { Variable } from '@svc/contract/dotenv'
import { call } from '../../api.ts'
import { notify } from '../../components/toasts.tsx'
import { type Resource, useResource, writeResource } from '../../resource.ts'
import { detailKey, loadProject } from '../projects/project/detail.ts'
import { everywhere, isSame, type VariableId, withVariable } from './with-variable.ts'

const envKey = (project: string) => `environment of ${project}`

export function useVariables(project: string): Resource<EnvVar[]> {
  return useResource(
    envKey(project),
    async () => (await call('GET /projects/:name/env', { params: { name: project } })).env,
  )
}

/** What a change means for the server app; undefined where it means nothing. */
export type Effect = 'restarts' | 'at next start' | undefined

/** Without a scope the stored one is kept. Without a target the variable is for both environments. */
export async function setVariable(
  project: string,
  { key, value }: Variable,
  scope: EnvScope | undefined,
  target: Partial<Pick<EnvVar, 'environments' | 'branch' | 'secret'>> = {},
): Promise<Effect> {
  const params = { name: project, key }
  const { restarting, ...stored } = await call('PUT /projects/:name/env/:key', {
    params,
    body: { value, scope, ...target },
  })
  const updated_at = new Date().toISOString()
  writeResource<EnvVar[]>(envKey(project), shown =>
    withVariable(shown, {
      ...everywhere,
      secret: false,
      ...stored,
      value: stored.secret ? null : value,
      updated_at,
    }),
  )
  return effectOf(restarting)
}

export async function removeVariable(project: string, variable: VariableId): Promise<Effect> {
  const { key, environments, branch } = variable
  const [environment = 'both' as const] = environments.length === 1 ? environments : []
  const { restarting } = await call('DELETE /projects/:name/env/:key', {
    params: { name: project, key },
    query: branch === null ? { environment } : { branch },
  })
  writeResource<EnvVar[]>(envKey(project), shown => shown.filter(other => !isSame(other, variable)))
  return effectOf(restarting)
}

function effectOf(restarting: boolean | undefined): Effect {
  if (restarting === undefined) return undefined
  return restarting ? 'restarts' : 'at next start'
}

const effects: Record<NonNullable<Effect>, string> = {
  restarts: 'The running app restarts with the change, without downtime.',
  'at next start': 'The app uses the change at its next start.',
}

/** Says what was done and what it means for the app. Where the app restarts, says later if that failed. */
export function tell(project: string, done: string, effect: Effect): void {
  notify({ tone: 'ok', text: effect ? `${done} ${effects[effect]}` : done })
  if (effect === 'restarts') void watchRestart(project)
}

const watchEveryMs = 1_000
/** An app has 30 seconds to start. */
const watchAtMostMs = 60_000

async function watchRestart(project: string): Promise<void> {
  for (const until = Date.now() + watchAtMostMs; Date.now() < until; ) {
    await new Promise(resolve => setTimeout(resolve, watchEveryMs))
    // An error is ignored: the next look may succeed, and the project's page shows the outcome as well.
    const detail = await loadProject(project).catch(() => undefined)
    if (detail === undefined) continue
    writeResource<ProjectDetail>(detailKey(project), () => detail)
    if (detail.app?.restart?.state === 'failed')
      return notify({
        tone: 'error',
        text: 'The app did not start with the change. The instance from before keeps running. The page Deployments says why.',
      })
    if (detail.app?.state !== 'starting' && detail.app?.restart?.state !== 'starting') return
  }
}
