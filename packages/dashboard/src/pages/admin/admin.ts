// What the pages of the operator area load.
import type { AdminCertificate, AdminOverview } from '@svc/contract'
import { call } from '../../api.ts'
import { pagedList } from '../../paged-list.ts'
import { type Resource, useResource } from '../../resource.ts'

export const useOverview = (): Resource<AdminOverview> =>
  useResource('admin overview', () => call('GET /admin/overview'))

export const certificateList = pagedList<AdminCertificate>('admin certificates', async query => {
  const { certificates, next_cursor } = await call('GET /admin/certificates', { query })
  return { rows: certificates, next_cursor }
})
