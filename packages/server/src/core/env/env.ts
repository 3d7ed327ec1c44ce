// Environment variables of a project: sealed at rest, each with a scope.
import { type EnvScope, type EnvVar, envKeyPattern, limits, platformEnvKeys } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { SealBroken } from '../../lib/seal.ts'
import {
  countEnv,
  deleteEnvRow,
  findEnvRow,
  listEnvRows,
  saveEnvRow,
  sealedLength,
} from '../../store/env/env.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { EnvVarRow } from '../../store/tables.ts'
import { applyToApps } from '../base/app-restarts.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows, Vault } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'

/** The limit on all variables after encryption, in base64. */
const mostSealed = (limits.envBytes * 4) / 3 + limits.envVariables * 64

/** The place that an encrypted value is bound to. It cannot be decrypted for another project or name. */
export const placeOf = (row: Pick<EnvVarRow, 'project_id' | 'key'>): string[] => [
  'env',
  row.project_id,
  row.key,
]

/** Sorted by key. Throws if a value cannot be decrypted, because a list without it would be misleading. */
export async function listEnv(platform: Vault, project: ProjectWithOrg): Promise<EnvVar[]> {
  const env: EnvVar[] = []
  const unreadable: { key: string; cause: SealBroken }[] = []
  for (const row of await listEnvRows(platform.store.db, project.id))
    try {
      const value = platform.keyring.open(row, placeOf(row))
      env.push({ key: row.key, value, scope: row.scope, updated_at: isoTime(row.updated_at) })
    } catch (cause) {
      if (!(cause instanceof SealBroken)) throw cause
      unreadable.push({ key: row.key, cause })
    }
  if (unreadable.length > 0) throw cannotRead(unreadable)
  return env.sort((a, b) => (a.key < b.key ? -1 : 1))
}

export async function setEnv(
  platform: Rows & Vault,
  caller: Caller,
  project: ProjectWithOrg,
  input: { key: string; value: string; scope?: EnvScope | undefined },
): Promise<{ key: string; scope: EnvScope; restarting?: boolean }> {
  const { key, value } = input
  checkKey(key)
  return await platform.store.transact(async (tx, changed) => {
    // The lock keeps two new variables from passing the limit together, and lets a key rotation wait for this
    // transaction. So the key must be chosen after it.
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const stored = await findEnvRow(tx, project.id, key)
    if (!stored && (await countEnv(tx, project.id)) >= limits.envVariables)
      throw new Fault('invalid_request', `A project may have at most ${limits.envVariables} variables.`)
    const scope = input.scope ?? stored?.scope ?? 'runtime'
    const place = { project_id: project.id, key }
    const sealed = platform.keyring.current.seal(value, placeOf(place))
    const length = (await sealedLength(tx, project.id, key)) + sealed.sealed.length
    if (length > mostSealed)
      throw new Fault(
        'quota_exceeded',
        'The values of a project may have 1 MB in all. Remove variables first.',
      )
    await saveEnvRow(tx, { ...place, ...sealed, scope, updated_at: platform.clock.now() })
    await audit(platform, tx, caller, { action: 'env.set', project, target: key, details: { scope } })
    const concernsApps = scope !== 'build' || (stored && stored.scope !== 'build')
    const restarting = concernsApps ? await applyToApps(tx, changed, project) : undefined
    return { key, scope, ...(restarting !== undefined && { restarting }) }
  })
}

export async function removeEnv(
  platform: Rows,
  caller: Caller,
  project: ProjectWithOrg,
  key: string,
): Promise<{ restarting?: boolean }> {
  return await platform.store.transact(async (tx, changed) => {
    const stored = await findEnvRow(tx, project.id, key)
    if (!stored || !(await deleteEnvRow(tx, project.id, key)))
      throw new Fault('not_found', `There is no variable '${key.slice(0, limits.envKey)}' in this project.`)
    await audit(platform, tx, caller, { action: 'env.delete', project, target: key })
    const restarting = stored.scope === 'build' ? undefined : await applyToApps(tx, changed, project)
    return restarting === undefined ? {} : { restarting }
  })
}

function checkKey(key: string): void {
  if (!envKeyPattern.test(key) || key.length > limits.envKey)
    throw new Fault(
      'invalid_request',
      `key: must be up to ${limits.envKey} letters, digits and underscores, and not begin with a digit`,
    )
  if (platformEnvKeys.includes(key)) throw new Fault('invalid_request', `key: ${key} is set by the platform`)
}

function cannotRead(unreadable: { key: string; cause: SealBroken }[]): Fault {
  const names = unreadable.map(({ key }) => key).sort()
  const [one, several] = [`value of ${names[0]}`, `values of ${names.join(', ')}`]
  return new Fault(
    'internal',
    `The ${names.length === 1 ? one : several} cannot be read: ${unreadable[0]?.cause.message}. Set or remove what is named, or ask the operator to put the key back.`,
    { cause: unreadable[0]?.cause },
  )
}
