// Environment variables of a project: sealed at rest, each with a scope, for both environments, for one, or for one branch.
import { type EnvScope, type EnvVar, envKeyPattern, limits, platformEnvKeys } from '@svc/contract'
import { compareVariables, type Environment, targetWords } from '@svc/contract/environments'
import { Fault } from '../../lib/fault.ts'
import {
  countEnv,
  deleteEnvRow,
  listEnvRows,
  listEnvRowsOf,
  saveEnvRow,
  sealedLength,
} from '../../store/env/env.ts'
import type { EnvVarId, EnvVarRow } from '../../store/env/rows.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import { applyToApps } from '../base/app-restarts.ts'
import { audit } from '../base/audit.ts'
import { requireBranchName } from '../base/branch-names.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows, Vault } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { openValues, placeOf, targetOf } from './values.ts'

/** The limit on all variables after encryption, in base64. */
const mostSealed = (limits.envBytes * 4) / 3 + limits.envVariables * 64

/** Sorted by key. Throws if a value cannot be decrypted, because a list without it would be misleading. */
export async function listEnv(
  platform: Vault,
  project: ProjectWithOrg,
  environment?: Environment,
): Promise<EnvVar[]> {
  const all = await listEnvRows(platform.store.db, project.id)
  const rows = all.filter(row => !environment || targetOf(row).environments.includes(environment))
  const open = rows.filter(row => row.secret === 0)
  const values = new Map(openValues(platform, open).map((value, i) => [open[i], value]))
  return rows
    .map(row => ({ ...described(row), value: values.get(row) ?? null, updated_at: isoTime(row.updated_at) }))
    .sort(compareVariables)
}

const described = (row: Pick<EnvVarRow, 'key' | 'environment' | 'branch' | 'scope' | 'secret'>) => ({
  key: row.key,
  scope: row.scope,
  ...targetOf(row),
  secret: row.secret === 1,
})

interface Input {
  key: string
  value: string
  scope?: EnvScope | undefined
  environments?: Environment[] | undefined
  branch?: string | null | undefined
  secret?: boolean | undefined
}

export async function setEnv(
  platform: Rows & Vault,
  caller: Caller,
  project: ProjectWithOrg,
  input: Input,
): Promise<Pick<EnvVar, 'key' | 'scope'> & Partial<EnvVar> & { restarting?: boolean }> {
  const { key, value } = input
  checkKey(key)
  const id: EnvVarId = { project_id: project.id, key, ...storedTarget(input.environments, input.branch) }
  return await platform.store.transact(async (tx, changed) => {
    // The lock keeps two new variables from passing the limit together, and lets a key rotation wait for this
    // transaction. So the key must be chosen after it.
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const stored = (await listEnvRowsOf(tx, project.id, key)).find(row => isSame(row, id))
    if (!stored && (await countEnv(tx, project.id)) >= limits.envVariables)
      throw new Fault('invalid_request', `A project may have at most ${limits.envVariables} variables.`)
    const sealed = platform.keyring.current.seal(value, placeOf(id))
    const others = (await sealedLength(tx, project.id)) - (stored?.sealed.length ?? 0)
    if (others + sealed.sealed.length > mostSealed)
      throw new Fault(
        'quota_exceeded',
        'The values of a project may have 1 MB in all. Remove variables first.',
      )
    const scope = input.scope ?? stored?.scope ?? 'runtime'
    const secret = input.secret ? 1 : 0
    const row = { ...id, ...sealed, scope, secret, updated_at: platform.clock.now() }
    await saveEnvRow(tx, row)
    const details = { scope, ...targetDetails(id), ...(secret === 1 && { secret: 'true' }) }
    await audit(platform, tx, caller, { action: 'env.set', project, target: key, details })
    const concernsApps = scope !== 'build' || (stored && stored.scope !== 'build')
    const restarting = concernsApps ? await applyToApps(tx, changed, project, [id]) : undefined
    const { environments, branch, secret: isSecret } = described(row)
    return {
      key,
      scope,
      ...(namesTarget(input) && { environments, branch, secret: isSecret }),
      ...(restarting !== undefined && { restarting }),
    }
  })
}

/** A client that knows nothing of environments and secrets is answered as before. */
const namesTarget = ({ environments, branch, secret }: Input): boolean =>
  environments !== undefined || branch !== undefined || secret !== undefined

interface Which {
  environment?: Environment | 'both' | undefined
  branch?: string | undefined
}

/** Removes all variables of a key, or only the one of an environment or of a branch. */
export async function removeEnv(
  platform: Rows,
  caller: Caller,
  project: ProjectWithOrg,
  key: string,
  which: Which = {},
): Promise<{ restarting?: boolean }> {
  const { environment, branch } = which
  const addressed =
    environment === undefined && branch === undefined
      ? undefined
      : storedTarget(environment === undefined || environment === 'both' ? undefined : [environment], branch)
  return await platform.store.transact(async (tx, changed) => {
    const stored = (await listEnvRowsOf(tx, project.id, key)).filter(
      row => !addressed || isSame(row, addressed),
    )
    const removed = []
    for (const row of stored) if (await deleteEnvRow(tx, row)) removed.push(row)
    if (removed.length === 0) throw noVariable(key, addressed)
    const details = addressed ? targetDetails(addressed) : {}
    await audit(platform, tx, caller, { action: 'env.delete', project, target: key, details })
    const ofApps = removed.filter(({ scope }) => scope !== 'build')
    const restarting = ofApps.length > 0 ? await applyToApps(tx, changed, project, ofApps) : undefined
    return restarting === undefined ? {} : { restarting }
  })
}

type StoredTarget = Pick<EnvVarRow, 'environment' | 'branch'>

/** A branch is for previews: production is no branch's own. */
function storedTarget(
  environments: readonly Environment[] | undefined,
  branch: string | null | undefined,
): StoredTarget {
  if (branch) {
    if (environments && !environments.includes('preview'))
      throw new Fault(
        'invalid_request',
        'branch: is only for previews. Leave out the branch, or set the variable for preview.',
      )
    requireBranchName(branch)
    return { environment: 'preview', branch }
  }
  const [one, ...others] = new Set(environments)
  return { environment: one && others.length === 0 ? one : 'both', branch: '' }
}

const isSame = (a: StoredTarget, b: StoredTarget): boolean =>
  a.environment === b.environment && a.branch === b.branch

/** For the audit log. Nothing for a variable of both environments. */
const targetDetails = ({ environment, branch }: StoredTarget): Record<string, string> => ({
  ...(environment !== 'both' && { environment }),
  ...(branch !== '' && { branch }),
})

function noVariable(key: string, target: StoredTarget | undefined): Fault {
  const words = target && targetWords(targetOf(target))
  const where = words ? ` for ${words}` : ''
  return new Fault(
    'not_found',
    `There is no variable '${key.slice(0, limits.envKey)}'${where} in this project.`,
  )
}

function checkKey(key: string): void {
  if (!envKeyPattern.test(key) || key.length > limits.envKey)
    throw new Fault(
      'invalid_request',
      `key: must be up to ${limits.envKey} letters, digits and underscores, and not begin with a digit`,
    )
  if (platformEnvKeys.includes(key)) throw new Fault('invalid_request', `key: ${key} is set by the platform`)
}
