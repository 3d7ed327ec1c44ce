import { describe, expect, it } from 'vitest'
import { ignoreRules } from './ignore.ts'

/** Which of the paths the rules leave out. A path that ends with `/` is a folder. */
function leftOut(rules: string | string[], paths: string[]): string[] {
  const ignores = ignoreRules([rules].flat())
  return paths.filter(path => ignores(path.replace(/\/$/, ''), path.endsWith('/')))
}

describe('the rules of .svcignore', () => {
  it('leave out files at every depth, unless they begin with a slash', () => {
    expect(
      leftOut('*.map\n/draft.html', ['a.map', 'js/a.map', 'a.js', 'draft.html', 'x/draft.html']),
    ).toEqual(['a.map', 'js/a.map', 'draft.html'])
  })

  it('leave out folders alone if they end with a slash', () => {
    expect(leftOut('tmp/', ['tmp/', 'tmp', 'a/tmp/'])).toEqual(['tmp/', 'a/tmp/'])
  })

  it('know **, negation, comments, blank lines, escapes, and lines that end as on Windows', () => {
    const rules = '\uFEFF# nothing\r\n\r\ndocs/**/*.md\r\n!docs/a/keep.md\r\n\\#odd\r\n'
    const paths = ['docs/a.md', 'docs/a/b/c.md', 'docs/a/keep.md', '#odd', '# nothing', 'readme.md']
    expect(leftOut(rules, paths)).toEqual(['docs/a.md', 'docs/a/b/c.md', '#odd'])
  })

  it('are case-sensitive, and let a later file win', () => {
    expect(leftOut('*.PSD', ['a.psd', 'a.PSD'])).toEqual(['a.PSD'])
    expect(leftOut(['*.txt', '!robots.txt'], ['a.txt', 'robots.txt'])).toEqual(['a.txt'])
  })

  it('know sets of characters, and what a backslash means', () => {
    const names = ['a1', 'b1', 'z1', ']1', '-1', '*1', 'a', '1']
    for (const [rule, left] of [
      ['[a-b]1', ['a1', 'b1']],
      ['[!a-b]1', ['z1', ']1', '-1', '*1']],
      ['[]-]1', [']1', '-1']],
      ['[\\]z]1', ['z1', ']1']],
      ['?[[:digit:]]', ['a1', 'b1', 'z1', ']1', '-1', '*1']],
      ['\\*1', ['*1']],
      ['\\a', ['a']],
      ['[a', []],
      ['[[:none:]]', []],
      ['[[:constructor:]]', []],
      ['a\\', []],
    ] as const)
      expect([rule, leftOut(rule, names)]).toEqual([rule, left])
  })

  it('with ** are for any number of folders, and at the end for all that is in a folder', () => {
    const paths = ['a/', 'a/b', 'a/x/b', 'a/x/y/b', 'c/a/b', 'b', 'ab']
    expect(leftOut('a/**/b', paths)).toEqual(['a/b', 'a/x/b', 'a/x/y/b'])
    expect(leftOut('a/**', paths)).toEqual(['a/b', 'a/x/b', 'a/x/y/b'])
    expect(leftOut('**/a/b', paths)).toEqual(['a/b', 'c/a/b'])
    expect(leftOut('a/*/b', paths)).toEqual(['a/x/b'])
    expect(leftOut('**b', paths)).toEqual(['a/b', 'a/x/b', 'a/x/y/b', 'c/a/b', 'b', 'ab'])
  })

  it('keep spaces within a name, and at its end if a backslash comes before them', () => {
    expect(leftOut('a b\nc  \nd\\ ', ['a b', 'c', 'c  ', 'd', 'd '])).toEqual(['a b', 'c', 'd '])
  })

  it('that would keep a regular expression busy for years say at once what they leave out', () => {
    const path = Array.from({ length: 10 }, () => 'a'.repeat(100)).join('/')
    for (const rule of [`${'*a'.repeat(50)}b`, `${'**/'.repeat(50)}b`, `${'*a/**/'.repeat(20)}b`])
      expect(leftOut(rule, [path, 'b'])).toEqual(rule.startsWith('**') ? ['b'] : [])
  })

  it('bear odd names, and patterns that mean nothing', () => {
    expect(leftOut('[\n\\\n!\n***\n/', ['..a', '.well-known/x', '...', 'a b'])).toBeDefined()
  })
})
