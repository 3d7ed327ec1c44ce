import type { ListedProject } from '@svc/contract'
import { uploadEndedEarly } from '@svc/contract/site'
import { describe, expect, it } from 'vitest'
import { failedBuild, stateOf } from './state.ts'

type Build = NonNullable<ListedProject['last_build']>
type Last = NonNullable<ListedProject['last_deployment']>

const live = { url: 'http://x.localhost', kind: 'static', picture: null } as const
const build = (status: Build['status'], at: string): Build => ({ id: 'bld_x', status, at, branch: 'main' })
const deployment = (status: Last['status'], at: string, error: string | null = null): Last => ({
  ...{ id: 'dep_x', status, at, by: 'ada', branch: null, error },
})
const facts = (last_build: Build | null, last_deployment: Last | null = null, isLive = false) => ({
  ...{ live: isLive ? live : null, last_build, last_deployment },
})

describe('the card of a project', () => {
  it('says that the last build failed if nothing was deployed since', () => {
    expect(stateOf(facts(build('failed', '2026-01-02')))).toBe('build-failed')
    expect(stateOf(facts(build('failed', '2026-01-02'), deployment('failed', '2026-01-01')))).toBe(
      'build-failed',
    )
  })

  it('says that the last deployment failed, or that it is a preview', () => {
    const earlier = build('failed', '2026-01-01')
    expect(stateOf(facts(earlier, deployment('failed', '2026-01-02')))).toBe('failed')
    expect(stateOf(facts(earlier, deployment('branch', '2026-01-02')))).toBe('branch')
    expect(stateOf(facts(null, deployment('failed', '2026-01-02', uploadEndedEarly)))).toBe('cancelled')
  })

  it('says that the last build failed, also if the site is live', () => {
    const project = facts(build('failed', '2026-01-02'), deployment('live', '2026-01-01'), true)
    expect([stateOf(project), failedBuild(project)?.id]).toEqual(['build-failed', 'bld_x'])
  })

  it('says that the last deployment failed, also if the site is live, but not of an upload that was cancelled', () => {
    const after = (error: string) => facts(null, deployment('failed', '2026-01-02', error), true)
    expect(stateOf(after('The app did not start.'))).toBe('deploy-failed')
    expect(stateOf(after(uploadEndedEarly))).toBe('live')
  })

  it('says that the site is live after a deployment that followed the failed build', () => {
    expect(stateOf(facts(build('failed', '2026-01-01'), deployment('live', '2026-01-02'), true))).toBe('live')
  })

  it('says that a project without builds and deployments is empty', () => {
    expect(stateOf(facts(null))).toBe('none')
    expect(stateOf(facts(build('queued', '2026-01-02')))).toBe('none')
    expect(
      failedBuild(facts(build('failed', '2026-01-01'), deployment('live', '2026-01-02'), true)),
    ).toBeNull()
  })
})
