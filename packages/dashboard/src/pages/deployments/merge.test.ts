import type { Build, Deployment } from '@svc/contract'
import { expect, it } from 'vitest'
import { merged } from './merge.ts'

const deployment = (id: string, created_at: string) => ({ id, created_at }) as Deployment
const build = (id: string, created_at: string, more: Partial<Build> = {}) =>
  ({ id, created_at, status: 'failed', deployment_id: null, commit_sha: 'c', ...more }) as Build
const ids = (page: { rows: { id: string }[] }) => page.rows.map(({ id }) => id)

it('has deployments and the builds that made none, newest first', () => {
  const builds = [
    build('b3', '2026-01-05', { status: 'building' }),
    build('b2', '2026-01-03'),
    build('b1', '2026-01-01', { status: 'succeeded', deployment_id: 'd1' }),
    build('b0', '2026-01-01', { deployment_id: 'd1' }),
  ]
  const deployments = [deployment('d2', '2026-01-04'), deployment('d1', '2026-01-02')]
  const page = merged({ rows: deployments, next_cursor: null }, { rows: builds, next_cursor: null })
  expect([ids(page), page.next_cursor]).toEqual([['b3', 'd2', 'b2', 'd1'], null])
})

it('shows no row below the point that both lists have reached', () => {
  const deployments = {
    rows: [deployment('d9', '2026-01-09'), deployment('d5', '2026-01-05')],
    next_cursor: 'd',
  }
  const builds = { rows: [build('b8', '2026-01-08'), build('b1', '2026-01-01')], next_cursor: null }
  expect(ids(merged(deployments, builds))).toEqual(['d9', 'b8', 'd5'])
  expect(ids(merged({ ...deployments, next_cursor: null }, builds))).toEqual(['d9', 'b8', 'd5', 'b1'])
  expect(merged(deployments, builds).next_cursor).not.toBeNull()
})
