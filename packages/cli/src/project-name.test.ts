import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { derive, projectName } from './project-name.ts'

describe('project names', () => {
  it.each([
    ['my-site', 'my-site'],
    ['My Site!', 'my-site'],
    ['__blog__2024', 'blog-2024'],
    ['a.b/c', 'a-b-c'],
    ['--x--', 'x'],
    ['Ünï', 'n'],
    ['日本', ''],
  ])('from the directory %s is %s', (directory, name) => {
    expect(derive(directory)).toBe(name)
  })

  it('derived from any directory consist of what names may hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), directory => {
        expect(derive(directory)).toMatch(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?)?$/)
      }),
    )
  })

  it('are refused with their rule', () => {
    for (const name of ['ab', 'x'.repeat(41), 'My-Site', 'a_b', '', 'abc\n'])
      expect(() => projectName(name, 'dir', 'svc init <name>')).toThrow(`Invalid project name '${name}'`)
    expect(() => projectName(undefined, '日本', 'svc init <name>')).toThrow(
      "'日本' gives no project name (3 to 40 characters of a-z, 0-9 and -). Pass one: svc init <name>",
    )
  })
})
