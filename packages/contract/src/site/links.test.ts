import { describe, expect, test } from 'vitest'
import { limits } from '../limits.ts'
import { decodeLinks, encodeLinks, linkProblems } from './links.ts'

const files = ['app.js', 'node_modules/.pnpm/a@1/node_modules/a/index.js', 'lib/deep/x.js']
const problemsOf = (links: Record<string, string>) =>
  Object.fromEntries(linkProblems(new Map(Object.entries(links)), files))

describe('links that stay inside are fine', () => {
  test.each([
    ['to a package, as pnpm makes them', { 'node_modules/a': '.pnpm/a@1/node_modules/a' }],
    ['to a program', { 'node_modules/.bin/a': '../.pnpm/a@1/node_modules/a/index.js' }],
    [
      'through another link',
      { 'node_modules/a': '.pnpm/a@1/node_modules/a', 'node_modules/.bin/a': '../a/index.js' },
    ],
    ['to a folder above, which is a circle that no path ends in', { 'lib/self': '..' }],
    ['to their own folder', { 'lib/here': '.' }],
    ['to a file beside them', { 'main.js': './app.js' }],
    ['to a folder of links alone', { 'bin/app': '../app.js', tools: 'bin' }],
  ] as [string, Record<string, string>][])('%s', (_, links) => {
    expect(problemsOf(links)).toEqual({})
  })
})

describe('links are refused', () => {
  test.each([
    ['an absolute target', { x: '/etc/passwd' }, 'has an absolute target'],
    ['a target outside', { x: '../secret' }, 'leads outside'],
    ['a target outside by a detour', { 'lib/x': '../lib/../../secret' }, 'leads outside'],
    [
      'a chain that leads outside, though no link does by itself',
      { root: '.', x: 'root/../secret' },
      'leads outside',
    ],
    ['a longer chain of that kind', { 'lib/up': '..', 'lib/x': 'up/../y' }, 'leads outside'],
    ['a target that is missing', { x: 'gone.js' }, 'leads to nothing'],
    ['a path through a missing folder', { x: 'gone/../app.js' }, 'leads to nothing'],
    ['a path through a file', { x: 'app.js/../app.js' }, 'leads to nothing'],
    ['a slash behind a file', { x: 'app.js/' }, 'leads to nothing'],
    ['itself', { x: 'x' }, 'leads in a circle'],
    ['two that lead to each other', { x: 'y', y: 'x' }, 'leads in a circle'],
    ['an empty target', { x: '' }, 'cannot be deployed'],
    ['a backslash', { x: '..\\secret' }, 'cannot be deployed'],
    ['a NUL', { x: 'app.js\0' }, 'cannot be deployed'],
    ['a lone surrogate', { x: 'a\ud800' }, 'cannot be deployed'],
    ['an endless target', { x: './'.repeat(600) }, 'cannot be deployed'],
    ['an absolute path', { '/x': 'app.js' }, 'cannot be deployed'],
    ['a path outside', { '../x': 'app.js' }, 'cannot be deployed'],
    ['a path that is not normal', { 'lib//x': 'deep' }, 'cannot be deployed'],
    ["a path in the platform's folder", { '_svc/x': '../app.js' }, 'cannot be deployed'],
    ['an empty path', { '': 'app.js' }, 'cannot be deployed'],
    ['the place of a file', { 'app.js': 'lib' }, 'stands where'],
    ['the place of a folder', { lib: 'node_modules' }, 'stands where'],
    ['a place below a file', { 'app.js/x': '../lib' }, 'lies below'],
  ] as [string, Record<string, string>, string][])('%s', (_, links, words) => {
    const problems = problemsOf(links)
    expect(Object.values(problems)).toContainEqual(expect.stringContaining(words))
  })

  test('below another link', () => {
    expect(problemsOf({ x: 'lib', 'x/y': 'deep' })).toMatchObject({
      'x/y': expect.stringContaining('lies below'),
    })
  })

  test('that were made to take long', () => {
    const hops = Array.from({ length: 39 }, (_, i) => [`l${i}`, `l${i + 1}/${'./'.repeat(400)}`] as const)
    const many = Array.from({ length: 2_000 }, (_, i) => [`x${i}`, 'l0'] as const)
    const problems = linkProblems(new Map([...hops, ['l39', 'lib'], ...many]), files)
    expect([...problems.values()]).toContainEqual('leads through too many folders and links')
  })
})

describe('a list of links', () => {
  test('is read as it was written', () => {
    const links = new Map([
      ['a', 'b'],
      ['__proto__', 'c'],
    ])
    expect(decodeLinks(encodeLinks(links))).toEqual(links)
  })

  test.each(['', 'x', 'null', '7', '[]', '{}', '{"links":[]}', '{"links":{"a":1}}', '{"links":null}'])(
    'is not %j',
    text => {
      expect(decodeLinks(text)).toBeUndefined()
    },
  )

  test('has at most 10,000', () => {
    const links = (count: number) => new Map(Array.from({ length: count }, (_, i) => [String(i), 'x']))
    expect(decodeLinks(encodeLinks(links(limits.links)))?.size).toBe(limits.links)
    expect(decodeLinks(encodeLinks(links(limits.links + 1)))).toBeUndefined()
  })
})
