import type { EnvVar } from '@svc/contract'
import { compareVariables, environments, targetWords } from '@svc/contract/environments'

/** What a variable is for. */
export type Target = Pick<EnvVar, 'environments' | 'branch'>

export const everywhere: Target = { environments: [...environments], branch: null }

/** What tells a variable from the others. */
export type VariableId = Target & Pick<EnvVar, 'key'>

export const isSame = (a: VariableId, b: VariableId): boolean =>
  a.key === b.key && targetWords(a) === targetWords(b)

/** What people call it: the key, and what it is for unless that is everything. */
export function variableName(variable: VariableId): string {
  const words = targetWords(variable)
  return words === '' ? variable.key : `${variable.key} (${words})`
}

/** The list with a variable set, sorted as the API sorts it. */
export function withVariable(shown: EnvVar[], variable: EnvVar): EnvVar[] {
  const others = shown.filter(other => !isSame(other, variable))
  return [...others, variable].sort(compareVariables)
}
