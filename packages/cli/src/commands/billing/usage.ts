// What the account or an organization uses, and what it may use.
import type { Answer, EndpointTable, LimitName } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import { writeLimit } from '@svc/contract/limit-text'
import type { Run } from '../../command.ts'
import { bold, clean, dim, printJson, printTable } from '../../output.ts'
import { connect, required } from '../../session.ts'

type Limit = NonNullable<NonNullable<Sparse<Answer<EndpointTable['GET /me/limits']>>['limits']>[number]>

const titles: Record<LimitName, string> = {
  projects: 'Projects',
  orgs: 'Organizations',
  ready_apps: 'Server apps kept ready',
  running_apps: 'Running apps',
  stored_bytes: 'Stored deployments',
  bandwidth_bytes: 'Bandwidth this month',
  build_minutes: 'Build minutes this month',
}

export const showUsage: Run = async ({ options: { org, json } }) => {
  const call = connect()
  const found =
    org === undefined
      ? await call('GET /me/limits')
      : await call('GET /orgs/:name/limits', { params: { name: org } })
  if (json) return printJson(found)
  printTable(required(found, 'limits').map(rowOf))
}

/** A newer platform may have limits that this version has no words for. */
function rowOf({ name, used, allowed, is_own }: Limit): string[] {
  const title = name != null && Object.hasOwn(titles, name) ? titles[name] : clean(name)
  const written = (amount: number | null | undefined) =>
    name == null || amount === undefined ? '' : writeLimit(name, amount)
  const of = typeof allowed === 'number' ? `of ${written(allowed)}` : written(allowed)
  // The others run, too, but are not kept ready.
  const counted =
    name === 'ready_apps' && used != null && typeof allowed === 'number' ? Math.min(used, allowed) : used
  return [title, bold(written(counted)), dim(of), dim(is_own ? 'set by the operator' : '')]
}
