// The sealed values of variables: what each is bound to, and those that a build or an app gets.
import type { EnvScope } from '@svc/contract'
import { environments, type Place, type Target, targetWords, variablesIn } from '@svc/contract/environments'
import { Fault } from '../../lib/fault.ts'
import { SealBroken } from '../../lib/seal.ts'
import { listEnvRows } from '../../store/env/env.ts'
import type { EnvVarId, EnvVarRow } from '../../store/env/rows.ts'
import type { Vault } from '../base/platform.ts'

/**
 * The place that an encrypted value is bound to. It cannot be decrypted for another project, name, environment or branch.
 * The place of a variable for both environments is the one from before there were others.
 */
export const placeOf = ({ project_id, key, environment, branch }: EnvVarId): string[] =>
  environment === 'both' ? ['env', project_id, key] : ['env', project_id, key, environment, branch]

export const targetOf = ({ environment, branch }: Pick<EnvVarId, 'environment' | 'branch'>) =>
  ({
    environments: environment === 'both' ? [...environments] : [environment],
    branch: branch === '' ? null : branch,
  }) satisfies Target

/** What people call a variable. */
export function nameOf(id: Pick<EnvVarId, 'key' | 'environment' | 'branch'>): string {
  const words = targetWords(targetOf(id))
  return words === '' ? id.key : `${id.key} (${words})`
}

/** Opens all values. Throws an error that names those that cannot be decrypted. */
export function openValues({ keyring }: Pick<Vault, 'keyring'>, rows: readonly EnvVarRow[]): string[] {
  const unreadable: { name: string; cause: SealBroken }[] = []
  const values = rows.map(row => {
    try {
      return keyring.open(row, placeOf(row))
    } catch (cause) {
      if (!(cause instanceof SealBroken)) throw cause
      unreadable.push({ name: nameOf(row), cause })
      return ''
    }
  })
  if (unreadable.length > 0) throw cannotRead(unreadable)
  return values
}

/** The variables of a build or of an app: of those that are set in this case, the most specific ones. */
export async function variablesFor(
  vault: Vault,
  projectId: string,
  place: Place,
  use: Exclude<EnvScope, 'both'>,
): Promise<Record<string, string>> {
  const rows = await listEnvRows(vault.store.db, projectId)
  const used = rows.filter(({ scope }) => scope === use || scope === 'both')
  const chosen = variablesIn(
    used.map(row => ({ ...targetOf(row), key: row.key, row })),
    place,
  ).map(({ row }) => row)
  const values = openValues(vault, chosen)
  return Object.fromEntries(chosen.map(({ key }, i) => [key, values[i]!]))
}

function cannotRead(unreadable: { name: string; cause: SealBroken }[]): Fault {
  const names = unreadable.map(({ name }) => name).sort()
  const [one, several] = [`value of ${names[0]}`, `values of ${names.join(', ')}`]
  return new Fault(
    'internal',
    `The ${names.length === 1 ? one : several} cannot be read: ${unreadable[0]?.cause.message}. Set or remove what is named, or ask the operator to put the key back.`,
    { cause: unreadable[0]?.cause },
  )
}
