// The variables that one environment of a project gets.
import { environments, variablesIn } from '@svc/contract/environments'
import { connect, required } from '../../session.ts'
import type { targetOf } from './target.ts'

export async function readVariables(name: string, target: Required<Pick<Target, 'environment'>> & Target) {
  const answer = await connect()('GET /projects/:name/env', { params: { name } })
  // A server of an older version knows neither environments nor secrets.
  const all = required(answer, 'env').map(it => ({
    ...{ key: it.key ?? '', value: it.value ?? '', branch: it.branch ?? null, secret: it.secret === true },
    environments: environments.filter(other => it.environments?.includes(other) ?? true),
  }))
  return variablesIn(all, { environment: target.environment, branch: target.branch })
}

type Target = ReturnType<typeof targetOf>
