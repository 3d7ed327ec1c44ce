// Which variable counts where one key has several: that of the branch, then that of the environment, then that of both.

export const environments = ['production', 'preview'] as const

export type Environment = (typeof environments)[number]

/** What a variable is for. A variable with a branch is for the previews of this branch. */
export interface Target {
  environments: readonly Environment[]
  branch: string | null
}

/** Where variables are used: by production, or by the preview of a branch. */
export interface Place {
  environment: Environment
  branch?: string | undefined
}

/** The higher, the more specific. */
const rankOf = ({ environments: list, branch }: Target): number => {
  if (branch !== null) return 2
  return list.length === 1 ? 1 : 0
}

const isFor = ({ environments: list, branch }: Target, place: Place): boolean =>
  list.includes(place.environment) && (branch === null || branch === place.branch)

/** The variables that count in a place: one for each key. */
export function variablesIn<V extends Target & { key: string }>(all: readonly V[], place: Place): V[] {
  const chosen = new Map<string, V>()
  for (const variable of all) {
    const other = chosen.get(variable.key)
    if (isFor(variable, place) && (!other || rankOf(variable) > rankOf(other)))
      chosen.set(variable.key, variable)
  }
  return [...chosen.values()]
}

/** Sorts variables by key, and those of one key from the general one to the most specific one. */
export function compareVariables(a: Target & { key: string }, b: Target & { key: string }): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1
  if (rankOf(a) !== rankOf(b)) return rankOf(a) - rankOf(b)
  const [one, other] = [a, b].map(it => it.branch ?? String(it.environments))
  return one! < other! ? -1 : 1
}

/** What people call a target: `production`, `preview` or `branch next`. Empty for both environments. */
export function targetWords({ environments: list, branch }: Target): string {
  if (branch !== null) return `branch ${branch}`
  return list.length === 1 ? String(list[0]) : ''
}
