import type { ListedProject } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { arrange, lastDeploys, sortOf } from './order.ts'

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

const projects = [
  project('blog', '2026-01-01T00:00:00Z'),
  project('new-shop', null),
  project('old-shop', '2026-01-03T00:00:00Z'),
  project('docs', '2026-01-01T12:00:00Z', { starred: true }),
]
const names = (search: string, sort: 'deployed' | 'name') =>
  arrange(projects, { search, sort }).map(({ name }) => name)

describe('the list of projects', () => {
  it('begins with starred projects, and goes on with what was deployed last', () => {
    expect(names('', 'deployed')).toEqual(['docs', 'old-shop', 'new-shop', 'blog'])
  })

  it('can be sorted by name', () => {
    expect(names('', 'name')).toEqual(['docs', 'blog', 'new-shop', 'old-shop'])
    expect([sortOf('name'), sortOf('deployed'), sortOf(null), sortOf('x')]).toEqual([
      'name',
      'deployed',
      'deployed',
      'deployed',
    ])
  })

  it('shows what has every word of the search in its name', () => {
    expect(names('SHOP  old', 'name')).toEqual(['old-shop'])
    expect(names('  ', 'name')).toHaveLength(4)
    expect(names('(.*)+$', 'name')).toEqual([])
  })

  it('names the last deployments of all projects', () => {
    expect(lastDeploys(projects, 2).map(({ project }) => project)).toEqual(['old-shop', 'docs'])
  })
})
