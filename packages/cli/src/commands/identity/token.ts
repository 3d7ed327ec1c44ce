// Creates a token. Its secret is all that goes to stdout, so that scripts can catch it.
import type { Run } from '../../command.ts'
import { expiry } from '../../expiry.ts'
import { Failure } from '../../failure.ts'
import { notice, print } from '../../output.ts'
import { connect, required } from '../../session.ts'

const defaultLabels = { ai: 'CLI-created AI key', cli: 'CLI-created deploy token' }

export const createToken: Run = async ({ args: [kind, ...words], options }) => {
  if (kind !== 'ai' && kind !== 'cli') throw new Failure('Usage: svc token <ai|cli> [label...]')
  const label = words.join(' ') || defaultLabels[kind]
  const body = { kind, label, ...expiry(options.expires) } as const
  const made = await connect()('POST /tokens', { body })
  print(required(made, 'token'))
  notice('This token is shown only once. Store it somewhere safe.')
}
