import { expect, test } from 'vitest'
import { packageEntries, unusedExports } from './export-rules.mjs'

const entries = packageEntries([
  {
    folder: 'packages/contract',
    name: '@svc/contract',
    exports: { '.': { default: './dist/index.js' }, './site': { default: './dist/site/index.js' } },
  },
])

const found = texts =>
  unusedExports(
    Object.entries(texts).map(([path, text]) => ({ path, text })),
    entries,
  ).map(({ path, line, name, isUsedInside }) => `${path}:${line} ${name} ${isUsedInside ? 'inside' : 'dead'}`)

test('an export that no other file imports is found, and whether its own file uses it', () => {
  expect(
    found({
      'a.ts': 'export const used = 1\nexport const dead = 2\nexport interface Own {}\nlet own: Own',
      'b.ts': "import { used } from './a.ts'",
    }),
  ).toEqual(['a.ts:2 dead dead', 'a.ts:3 Own inside'])
})

test.each([
  ['an import of a type', "import type { x } from './a.ts'"],
  ['an import under another name', "import { x as y } from './a.ts'"],
  ['an import of the whole module', "import * as a from './a.ts'"],
  ['an import on demand', "const y = (await import('./a.ts')).x"],
  ['an import on demand, taken apart', "const { x } = await import('./a.ts')"],
  ['an import on demand that is passed on', "load(() => import('./a.ts'))"],
  ['an import inside a type', "let y: import('./a.ts').x"],
  ['an import of the compiled file', "import { x } from './a.js'"],
])('%s is a use', (_, text) => {
  expect(found({ 'a.ts': 'export const x = 1', 'b.ts': text })).toEqual([])
})

test('a name that an import on demand does not take is found', () => {
  const texts = {
    'a.ts': 'export const x = 1\nexport const y = 2',
    'b.ts': "const z = (await import('./a.ts')).x",
  }
  expect(found(texts)).toEqual(['a.ts:2 y dead'])
})

test('a re-export is no use by itself, and leads a use to the file behind it', () => {
  const texts = {
    'packages/contract/src/index.ts': "export { a, b } from './a.ts'\nexport * from './c.ts'",
    'packages/contract/src/a.ts': 'export const a = 1\nexport const b = 2',
    'packages/contract/src/c.ts': 'export const c = 1\nexport const d = 2',
    'packages/cli/src/main.ts': "import { a, c } from '@svc/contract'",
  }
  expect(found(texts)).toEqual([
    'packages/contract/src/index.ts:1 b dead',
    'packages/contract/src/a.ts:2 b dead',
    'packages/contract/src/c.ts:2 d dead',
  ])
})
