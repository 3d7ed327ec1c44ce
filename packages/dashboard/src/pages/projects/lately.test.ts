import type { ListedProject } from '@svc/contract'
import { expect, it } from 'vitest'
import { lastDeploys } from './lately.ts'

const project = (name: string, at: string | null, more: Partial<ListedProject> = {}): ListedProject => ({
  id: `prj_${name}`,
  name,
  org: null,
  url: `http://${name}.localhost`,
  primary_url: null,
  active_deployment_id: null,
  expires_at: null,
  created_at: '2026-01-02T00:00:00Z',
  starred: false,
  access: { mode: 'public' },
  live: null,
  last_deployment: at
    ? { id: `dep_${name}`, status: 'live', at, by: 'ada', branch: null, error: null }
    : null,
  last_build: null,
  ...more,
})

it('names the last deployments of all projects, newest first', () => {
  const projects = [
    project('blog', '2026-01-01T00:00:00Z'),
    project('new-shop', null),
    project('old-shop', '2026-01-03T00:00:00Z'),
    project('docs', '2026-01-01T12:00:00Z', { starred: true }),
  ]
  expect(lastDeploys(projects, 2).map(({ project }) => project)).toEqual(['old-shop', 'docs'])
})
