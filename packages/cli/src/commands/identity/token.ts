// The tokens of the account: create, list, revoke. A new secret is all that goes to stdout, so that scripts can catch it.

import type { OwnToken } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { expiry } from '../../expiry.ts'
import { Failure } from '../../failure.ts'
import type { OptionValues } from '../../options.ts'
import { bold, clean, dim, green, minute, notice, print, printJson, printTable } from '../../output.ts'
import { allPages } from '../../pages.ts'
import { connect, required } from '../../session.ts'

const defaultLabels = { ai: 'CLI-created AI key', cli: 'CLI-created deploy token' }

export const createToken: Run = async ({ args: [kind, ...words], options }) => {
  if (kind !== 'ai' && kind !== 'cli') throw new Failure('Usage: svc token <ai|cli> [label...]')
  if (kind === 'ai' && options.project)
    throw new Failure('An ai token reaches no project. Leave out --project, or create a cli token.')
  const label = words.join(' ') || defaultLabels[kind]
  const body = { kind, label, ...limits(options) } as const
  const made = await connect()('POST /tokens', { body })
  print(required(made, 'token'))
  notice('This token is shown only once. Store it somewhere safe.')
}

/** `svc token create` is `svc token cli`, for people who look for the verb. */
export const createCliToken: Run = ({ args, options }) => createToken({ args: ['cli', ...args], options })

/** What the options say about a new token: the only project that it reaches, and when it expires. */
export const limits = ({ project, expires }: OptionValues) => ({
  ...(project !== undefined && { project }),
  ...expiry(expires),
})

export const listTokens: Run = async ({ options }) => {
  const call = connect()
  const answer = await allPages('tokens', cursor => call('GET /tokens', { query: { cursor, limit: '100' } }))
  if (options.json) return printJson(answer)
  const valid = answer.tokens.filter(({ revoked_at }) => !revoked_at)
  if (valid.length === 0) return print("No tokens. 'svc token cli' creates one for scripts.")
  printTable(valid.map(rowOf))
}

const rowOf = ({ id, kind, label, project, current, ...times }: Sparse<OwnToken>): string[] => [
  current ? `${green('*')} ${bold(id)}` : `  ${id ?? ''}`,
  kind ?? '',
  scopeText(project),
  clean(label),
  dim(minute(times.created_at)),
  times.last_used_at ? `used ${minute(times.last_used_at)}` : 'never used',
  expiryText(times.expires_at),
  current ? 'in use here' : '',
]

export const scopeText = (project: string | null | undefined): string => (project ? `only ${project}` : '')

export function expiryText(at: string | null | undefined): string {
  if (!at) return ''
  return `${Date.parse(at) <= Date.now() ? 'expired' : 'expires'} ${minute(at)}`
}

export const revokeToken: Run = async ({ args: [id = ''] }) => {
  await connect()('DELETE /tokens/:id', { params: { id } })
  print(`Revoked ${bold(id)}.`)
}
