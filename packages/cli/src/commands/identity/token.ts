// The tokens of the account: create, list, revoke. A new secret is all that goes to stdout, so that scripts can catch it.

import type { OwnToken } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { expiry } from '../../expiry.ts'
import { Failure } from '../../failure.ts'
import { bold, clean, dim, green, minute, notice, print, printJson, printTable } from '../../output.ts'
import { allPages } from '../../pages.ts'
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

export const listTokens: Run = async ({ options }) => {
  const call = connect()
  const answer = await allPages('tokens', cursor => call('GET /tokens', { query: { cursor, limit: '100' } }))
  if (options.json) return printJson(answer)
  const valid = answer.tokens.filter(({ revoked_at }) => !revoked_at)
  if (valid.length === 0) return print("No tokens. 'svc token cli' creates one for scripts.")
  printTable(valid.map(rowOf))
}

const rowOf = ({ id, kind, label, current, ...times }: Sparse<OwnToken>): string[] => [
  current ? `${green('*')} ${bold(id)}` : `  ${id ?? ''}`,
  kind ?? '',
  clean(label),
  dim(minute(times.created_at)),
  times.last_used_at ? `used ${minute(times.last_used_at)}` : 'never used',
  expiryText(times.expires_at),
  current ? 'in use here' : '',
]

function expiryText(at: string | null | undefined): string {
  if (!at) return ''
  return `${Date.parse(at) <= Date.now() ? 'expired' : 'expires'} ${minute(at)}`
}

export const revokeToken: Run = async ({ args: [id = ''] }) => {
  await connect()('DELETE /tokens/:id', { params: { id } })
  print(`Revoked ${bold(id)}.`)
}
