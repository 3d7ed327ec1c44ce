// What the pages of the operator area load.
import type {
  AdminBuild,
  AdminCertificate,
  AdminCheck,
  AdminInvoice,
  AdminJob,
  AdminOverview,
  AdminSweepStep,
} from '@svc/contract'
import { call, readInvoices } from '../../api.ts'
import { offerFile } from '../../offer-file.ts'
import { pagedList } from '../../paged-list.ts'
import { type Resource, useResource, writeResource } from '../../resource.ts'

export const useOverview = (): Resource<AdminOverview> =>
  useResource('admin overview', () => call('GET /admin/overview'))

const checks = 'admin checks'

export const useChecks = (): Resource<AdminCheck[]> =>
  useResource(checks, async () => (await call('GET /admin/checks')).checks)

export async function checkNow(): Promise<void> {
  const found = await call('POST /admin/checks')
  writeResource<AdminCheck[]>(checks, () => found.checks)
}

export const jobList = pagedList<AdminJob>('admin jobs', async query => {
  const { jobs, next_cursor } = await call('GET /admin/jobs', { query })
  return { rows: jobs, next_cursor }
})

export const invoiceList = pagedList<AdminInvoice>('admin invoices', async query => {
  const { invoices, next_cursor } = await call('GET /admin/invoices', { query })
  return { rows: invoices, next_cursor }
})

export async function openInvoice({ id }: AdminInvoice): Promise<void> {
  location.assign((await call('GET /admin/invoices/:id/pdf', { params: { id } })).url)
}

export const exportInvoices = async (): Promise<void> => offerFile(await readInvoices(), 'invoices.csv')

export const useSweep = (): Resource<AdminSweepStep[]> =>
  useResource('admin sweep', async () => (await call('GET /admin/sweep')).steps)

export async function retryJob({ id }: AdminJob): Promise<void> {
  const changed = await call('POST /admin/jobs/:id/retry', { params: { id } })
  jobList.change(rows => rows.map(row => (row.id === id ? changed : row)))
}

export async function cancelJob({ id }: AdminJob): Promise<void> {
  await call('DELETE /admin/jobs/:id', { params: { id } })
  jobList.change(rows => rows.filter(row => row.id !== id))
}

export const buildList = pagedList<AdminBuild>('admin builds', async query => {
  const { builds, next_cursor } = await call('GET /admin/builds', { query })
  return { rows: builds, next_cursor }
})

export async function cancelBuild({ id }: AdminBuild): Promise<void> {
  await call('POST /admin/builds/:id/cancel', { params: { id } })
  buildList.change(rows => rows.filter(row => row.id !== id))
}

export const certificateList = pagedList<AdminCertificate>('admin certificates', async query => {
  const { certificates, next_cursor } = await call('GET /admin/certificates', { query })
  return { rows: certificates, next_cursor }
})
