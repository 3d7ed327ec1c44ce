import { describe, expect, it } from 'vitest'
import { looksLikeSinglePage, singlePageRules } from './single-page.ts'

const reading = (files: Record<string, string>) => async (path: string, atMost?: number) => {
  const text = files[path]
  return text !== undefined && text.length <= (atMost ?? 1_000_000) ? text : undefined
}
const looks = (files: Record<string, string>) => looksLikeSinglePage(Object.keys(files), reading(files))

const app = { 'index.html': '<script src=/a.js>', 'assets/a.js': 'addEventListener("popstate",f)' }

describe('a single-page app', () => {
  it('has one page, and a router in its scripts', async () => expect(await looks(app)).toBe(true))

  it.each([
    ['another page', { ...app, 'about.html': '' }],
    ['a page for what is not found', { ...app, '404.html': '' }],
    ['a rule for all paths', { ...app, _redirects: '# all\n/* /index.html 200\n' }],
    ['no router', { ...app, 'assets/a.js': 'render()' }],
    ['a script that is too large to be searched', { ...app, 'assets/a.js': 'popstate'.repeat(600_000) }],
    ['no front page', { 'assets/a.js': 'popstate' }],
  ])('is not what has %s', async (_, files) => expect(await looks(files)).toBe(false))
})

describe('the rules of a single-page app', () => {
  it.each([
    [{}, '/*    /index.html    200\n'],
    [{ _redirects: '/a /b 301' }, '/a /b 301\n/*    /index.html    200\n'],
    [{ _redirects: '/a /b 301\n' }, '/a /b 301\n/*    /index.html    200\n'],
  ])('stand behind those of the site: %j', async (files, text) =>
    expect(await singlePageRules(reading(files))).toEqual({ path: '_redirects', text }),
  )

  it('are left alone if one of them is for all paths', async () =>
    expect(await singlePageRules(reading({ _redirects: '/* /200.html 200' }))).toBeUndefined())
})
