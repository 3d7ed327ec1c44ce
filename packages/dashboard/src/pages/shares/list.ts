import type { Share } from '@svc/contract'
import { call } from '../../api.ts'
import { pagedList } from '../../paged-list.ts'

/** The unexpired shares of the signed-in account, newest first. */
export const shareList = pagedList<Share>('shares', async query => {
  const { shares, next_cursor } = await call('GET /shares', { query })
  return { rows: shares, next_cursor }
})

export async function removeShare({ name }: Share): Promise<void> {
  await call('DELETE /shares/:name', { params: { name } })
  shareList.change(rows => rows.filter(row => row.name !== name))
}
