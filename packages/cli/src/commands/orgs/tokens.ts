// Tokens that belong to an organization. A secret is all that goes to stdout, so that scripts can catch it.
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { bold, clean, dim, minute, notice, print, printJson, printTable } from '../../output.ts'
import { allPages } from '../../pages.ts'
import { connect, required } from '../../session.ts'
import { expiryText, limits, scopeText } from '../identity/token.ts'

const defaultLabels = { ai: 'CLI-created AI key', deploy: 'CLI-created deploy token' }

export const createOrgToken: Run = async ({ args: [name = '', kind, ...words], options }) => {
  if (kind !== 'ai' && kind !== 'deploy')
    throw new Failure('Usage: svc org token <org> <ai|deploy> [label...]')
  const label = words.join(' ') || defaultLabels[kind]
  const body = { kind, label, ...limits(options) } as const
  const made = await connect()('POST /orgs/:name/tokens', { params: { name }, body })
  print(required(made, 'token'))
  notice('This token is shown only once. Store it somewhere safe.')
}

export const listOrgTokens: Run = async ({ args: [name = ''], options }) => {
  const call = connect()
  const answer = await allPages('tokens', cursor =>
    call('GET /orgs/:name/tokens', { params: { name }, query: { cursor, limit: '100' } }),
  )
  if (options.json) return printJson(answer)
  if (answer.tokens.length === 0) return print(`No tokens in ${name}.`)
  printTable(
    answer.tokens.map(({ id, kind, label, project, created_by, created_at, last_used_at, expires_at }) => [
      bold(id),
      kind ?? '',
      scopeText(project),
      clean(label),
      created_by ? `by ${created_by}` : '',
      dim(minute(created_at)),
      last_used_at ? `used ${minute(last_used_at)}` : 'never used',
      expiryText(expires_at),
    ]),
  )
}

export const revokeOrgToken: Run = async ({ args: [name = '', id = ''] }) => {
  await connect()('DELETE /orgs/:name/tokens/:id', { params: { name, id } })
  print(`Revoked ${id}.`)
}
