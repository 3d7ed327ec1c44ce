// What the pages of the operator area load.
import type { AdminBuild, AdminCertificate, AdminOverview } from '@svc/contract'
import { call } from '../../api.ts'
import { pagedList } from '../../paged-list.ts'
import { type Resource, useResource, writeResource } from '../../resource.ts'

export const useOverview = (): Resource<AdminOverview> =>
  useResource('admin overview', () => call('GET /admin/overview'))

const builds = 'admin builds'

export const useBuilds = (): Resource<AdminBuild[]> =>
  useResource(builds, async () => (await call('GET /admin/builds')).builds)

export async function cancelBuild({ id }: AdminBuild): Promise<void> {
  await call('POST /admin/builds/:id/cancel', { params: { id } })
  writeResource<AdminBuild[]>(builds, rows => rows.filter(row => row.id !== id))
}

export const certificateList = pagedList<AdminCertificate>('admin certificates', async query => {
  const { certificates, next_cursor } = await call('GET /admin/certificates', { query })
  return { rows: certificates, next_cursor }
})
