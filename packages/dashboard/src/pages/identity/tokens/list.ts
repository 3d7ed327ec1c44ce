import type { OwnToken } from '@svc/contract'
import { call } from '../../../api.ts'
import { pagedList } from '../../../paged-list.ts'

/** The tokens of the signed-in account, newest first, the revoked ones included. */
export const tokenList = pagedList<OwnToken>('tokens', async query => {
  const { tokens, next_cursor } = await call('GET /tokens', { query })
  return { rows: tokens, next_cursor }
})

export async function revoke({ id }: OwnToken): Promise<void> {
  await call('DELETE /tokens/:id', { params: { id } })
  const revoked_at = new Date().toISOString()
  tokenList.change(rows => rows.map(row => (row.id === id ? { ...row, revoked_at } : row)))
}
