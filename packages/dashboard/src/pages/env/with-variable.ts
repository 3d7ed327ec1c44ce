import type { EnvVar } from '@svc/contract'

/** The list with a variable set, sorted as the API sorts it. */
export function withVariable(shown: EnvVar[], variable: EnvVar): EnvVar[] {
  const others = shown.filter(({ key }) => key !== variable.key)
  return [...others, variable].sort((a, b) => (a.key < b.key ? -1 : 1))
}
