// The option --forge: which git host is meant.
import { Failure } from './failure.ts'

/** Reads the option. `undefined` if it was not given. */
export function forgeOf(option: string | undefined): 'builtin' | 'github' | undefined {
  if (option === undefined || option === 'builtin' || option === 'github') return option
  throw new Failure(`--forge must be github or builtin, not '${option}'.`)
}
