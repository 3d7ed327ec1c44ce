import { describe, expect, it } from 'vitest'
import { ignoreRules } from './ignore.ts'

/** Which of the paths the rules leave out. A path that ends with `/` is a folder. */
async function leftOut(rules: string | string[], paths: string[]): Promise<string[]> {
  const ignores = await ignoreRules([rules].flat())
  return paths.filter(path => ignores(path.replace(/\/$/, ''), path.endsWith('/')))
}

describe('the rules of .svcignore', () => {
  it('leave out files at every depth, unless they begin with a slash', async () => {
    expect(
      await leftOut('*.map\n/draft.html', ['a.map', 'js/a.map', 'a.js', 'draft.html', 'x/draft.html']),
    ).toEqual(['a.map', 'js/a.map', 'draft.html'])
  })

  it('leave out folders alone if they end with a slash', async () => {
    expect(await leftOut('tmp/', ['tmp/', 'tmp', 'a/tmp/'])).toEqual(['tmp/', 'a/tmp/'])
  })

  it('know **, negation, comments, blank lines, escapes, and lines that end as on Windows', async () => {
    const rules = '\uFEFF# nothing\r\n\r\ndocs/**/*.md\r\n!docs/a/keep.md\r\n\\#odd\r\n'
    const paths = ['docs/a.md', 'docs/a/b/c.md', 'docs/a/keep.md', '#odd', '# nothing', 'readme.md']
    expect(await leftOut(rules, paths)).toEqual(['docs/a.md', 'docs/a/b/c.md', '#odd'])
  })

  it('are case-sensitive, and let a later file win', async () => {
    expect(await leftOut('*.PSD', ['a.psd', 'a.PSD'])).toEqual(['a.PSD'])
    expect(await leftOut(['*.txt', '!robots.txt'], ['a.txt', 'robots.txt'])).toEqual(['a.txt'])
  })

  it('bear odd names, and patterns that mean nothing', async () => {
    expect(await leftOut('[\n\\\n!\n***\n/', ['..a', '.well-known/x', '...', 'a b'])).toBeDefined()
  })
})
