import { describe, expect, it } from 'vitest'
import { type Entry, sentenceOf } from './sentences.ts'

const read = (entry: Partial<Entry>, log: 'org' | 'project' = 'org') =>
  sentenceOf({ actor: 'ada', action: 'org.create', target: null, project: null, details: {}, ...entry }, log)
    .map(piece => (typeof piece === 'string' ? piece : piece.name))
    .join('')

describe('an entry of the activity log', () => {
  it('says in which project it happened, where the log is not the project’s own', () => {
    const upload = { action: 'deployment.upload', target: 'dep_1', project: 'shop' } as const
    expect(read(upload)).toBe('deployed dep_1 in shop')
    expect(read(upload, 'project')).toBe('deployed dep_1')
    expect(read({ ...upload, details: { branch: 'next' } }, 'project')).toBe(
      'deployed dep_1 to the branch next',
    )
    expect(read({ action: 'project.create', target: 'shop', project: 'shop' })).toBe(
      'created the project shop',
    )
  })

  it('tells leaving from being removed, and a role given from a role given up', () => {
    expect(read({ action: 'member.remove', target: 'ada' })).toBe('left')
    expect(read({ action: 'member.remove', target: 'bob' })).toBe('removed bob')
    const details = { from: 'member', to: 'admin' }
    expect(read({ action: 'member.role', target: 'bob', details })).toBe(
      'changed the role of bob from member to admin',
    )
    expect(read({ action: 'member.role', target: 'ada', details })).toBe('went from member to admin')
  })

  it('says who may see the site from now on', () => {
    const change = (from: string, to: string) => read({ action: 'access.change', details: { from, to } })
    expect(change('public', 'org')).toBe('let members of the organization see the site')
    expect(change('password', 'public')).toBe('let everyone see the site')
    expect(change('password', 'password')).toBe('changed the password of the site')
  })

  it('says what was taken away', () => {
    expect(read({ action: 'org.icon', details: { hash: null } })).toBe('removed the icon')
    expect(read({ action: 'org.update', details: { display_name: null } })).toBe('removed the display name')
    expect(read({ action: 'domain.retarget', target: 'a.b', details: { branch: null } })).toBe(
      'pointed the domain a.b at production',
    )
  })

  it('names a token by its label, and a personal owner as one', () => {
    expect(read({ action: 'token.create', target: 'tok_1', details: { kind: 'deploy', label: 'CI' } })).toBe(
      'created the deploy token CI',
    )
    expect(read({ action: 'token.create', target: 'tok_1', details: { kind: 'ai', label: '' } })).toBe(
      'created the AI token tok_1',
    )
    expect(read({ action: 'project.transfer', target: 'shop', details: { from: null, to: 'acme' } })).toBe(
      'moved the project shop from a personal account to acme',
    )
  })

  it('shows an action that it does not know as it is', () => {
    expect(read({ action: 'moon.landing' as 'org.create', target: 'apollo' })).toBe('moon.landing apollo')
  })
})
