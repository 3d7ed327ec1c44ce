import { expect, test } from 'vitest'
import { cyclesOf } from './import-cycles.mjs'

const cycles = sources => cyclesOf(Object.entries(sources).map(([path, text]) => ({ path, text })))

test('files that import nothing of each other have no cycle', () => {
  expect(
    cycles({ 'a.ts': "import './b.ts'; import './c.ts'", 'b.ts': "import './c.ts'", 'c.ts': '' }),
  ).toEqual([])
})

test.each([
  ['two files', { 'x/a.ts': "import { b } from './b.ts'", 'x/b.ts': "import { a } from './a.ts'" }],
  ['types alone', { 'x/a.ts': "import type { B } from './b.ts'", 'x/b.ts': "export * from './a.ts'" }],
  ['an import on demand', { 'x/a.ts': "await import('./b.ts')", 'x/b.ts': "import '../x/a.ts'" }],
])('a cycle of %s is found', (_, sources) => {
  expect(cycles(sources)).toEqual([['x/a.ts', 'x/b.ts', 'x/a.ts']])
})

test('a cycle by way of a third file is found, and named from the file where it closes', () => {
  expect(
    cycles({
      'main.ts': "import './a.ts'",
      'a.ts': "import './b.ts'",
      'b.ts': "import './c.ts'",
      'c.ts': "import './a.ts'",
    }),
  ).toEqual([['a.ts', 'b.ts', 'c.ts', 'a.ts']])
})
