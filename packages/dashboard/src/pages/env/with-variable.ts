import type { EnvVar } from '@svc/contract'
import { compareVariables, targetWords } from '@svc/contract/environments'

/** What tells a variable from the others: its key, and what it is for. */
export type VariableId = Pick<EnvVar, 'key' | 'environments' | 'branch'>

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
