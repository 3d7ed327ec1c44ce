// The unrevoked tokens of an org.
import type { OrgToken } from '@svc/contract'
import { call } from '../../api.ts'
import type { NewToken } from '../../components/token-form.tsx'
import { type PagedList, pagedList } from '../../paged-list.ts'

const lists = new Map<string, PagedList<OrgToken>>()

export function tokensOf(org: string): PagedList<OrgToken> {
  const known = lists.get(org)
  if (known) return known
  const list = pagedList<OrgToken>(`tokens of ${org}`, async query => {
    const { tokens, next_cursor } = await call('GET /orgs/:name/tokens', { params: { name: org }, query })
    return { rows: tokens, next_cursor }
  })
  lists.set(org, list)
  return list
}

export async function createToken(org: string, kind: 'ai' | 'deploy', input: NewToken) {
  const body = { kind, ...input }
  const { token: secret, ...token } = await call('POST /orgs/:name/tokens', { params: { name: org }, body })
  tokensOf(org).change(rows => [token, ...rows])
  return { token, secret }
}

export async function revokeToken(org: string, { id }: OrgToken): Promise<void> {
  await call('DELETE /orgs/:name/tokens/:id', { params: { name: org, id } })
  tokensOf(org).change(rows => rows.filter(row => row.id !== id))
}
