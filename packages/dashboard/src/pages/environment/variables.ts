// The environment variables of a project as the console shows them, and the moves that change them.
import type { EnvScope, EnvVar } from '@svc/contract'
import type { Variable } from '@svc/contract/dotenv'
import { call } from '../../api.ts'
import { type Resource, useResource, writeResource } from '../../resource.ts'
import { withVariable } from './with-variable.ts'

const envKey = (project: string) => `environment of ${project}`

export function useVariables(project: string): Resource<EnvVar[]> {
  return useResource(
    envKey(project),
    async () => (await call('GET /projects/:name/env', { params: { name: project } })).env,
  )
}

/** Without a scope the stored one is kept. Answers whether the running app restarts with it. */
export async function setVariable(
  project: string,
  { key, value }: Variable,
  scope: EnvScope | undefined,
): Promise<boolean> {
  const params = { name: project, key }
  const { restarting, ...stored } = await call('PUT /projects/:name/env/:key', {
    params,
    body: { value, scope },
  })
  const updated_at = new Date().toISOString()
  writeResource<EnvVar[]>(envKey(project), shown => withVariable(shown, { ...stored, value, updated_at }))
  return restarting === true
}

export async function removeVariable(project: string, key: string): Promise<boolean> {
  const { restarting } = await call('DELETE /projects/:name/env/:key', { params: { name: project, key } })
  writeResource<EnvVar[]>(envKey(project), shown => shown.filter(other => other.key !== key))
  return restarting === true
}

/** What follows the message of a change. */
export const restartWords = (restarting: boolean): string =>
  restarting ? ' The running app restarts with the change, without downtime.' : ''
