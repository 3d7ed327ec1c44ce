// The options --environment and --branch.
import { environments } from '@svc/contract/environments'
import { Failure } from '../../failure.ts'
import type { OptionValues } from '../../options.ts'

export function targetOf({ environment: word, branch }: OptionValues) {
  const environment = environments.find(other => other === word)
  if (word !== undefined && !environment)
    throw new Failure(`Unknown environment '${word}'. Use production or preview.`)
  if (branch !== undefined && environment === 'production')
    throw new Failure('A branch is only for previews. Leave out --environment production, or --branch.')
  return { ...(environment && { environment }), ...(branch !== undefined && { branch }) }
}
