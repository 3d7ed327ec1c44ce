import { describe, expect, it } from 'vitest'
import { declaredArgs } from './dockerfile.ts'
import { dockerIgnores } from './dockerignore.ts'

describe('.dockerignore', () => {
  it.each([
    ['node_modules', 'node_modules/a/b.js', true],
    ['node_modules', 'web/node_modules/a.js', false],
    ['**/node_modules', 'web/node_modules/a.js', true],
    ['/dist/', 'dist/a', true],
    ['*.md', 'README.md', true],
    ['*.md', 'docs/README.md', false],
    ['**/*.md', 'docs/a/README.md', true],
    ['*.md\n!README.md', 'README.md', false],
    ['*\n!src', 'src/a/b', false],
    ['*\n!src', 'test/a', true],
    ['*\n!src/only.js', 'src/only.js', false],
    ['*\n!src/only.js', 'src/other.js', true],
    ['docs/**', 'docs/a', true],
    ['temp?', 'temp1/x', true],
    ['temp?', 'temp', false],
    ['[a-c].txt', 'b.txt', true],
    ['[^a-c].txt', 'b.txt', false],
    ['# comment\n\n  .env  ', '.env', true],
    ['a/../b', 'b', true],
    ['\\*.txt', '*.txt', true],
    ['\\*.txt', 'a.txt', false],
    ['', 'a', false],
  ])('of %j, %s is left out: %s', (rules, path, expected) => {
    expect(dockerIgnores(rules)(path)).toBe(expected)
  })

  it('takes little time for rules that were made to take long', () => {
    const rules = `${'**/'.repeat(60)}x\n${'*a'.repeat(2_000)}b`
    expect(dockerIgnores(rules)(`${'a/'.repeat(60)}y`)).toBe(false)
    expect(dockerIgnores(rules)('a'.repeat(255))).toBe(false)
  })
})

describe('ARG', () => {
  it('is read on any line, with and without a default, in any case and over several lines', () => {
    const text =
      'ARG BASE=node:22\nFROM $BASE\n# ARG NO\nRUN echo ARG ALSO_NOT\n  arg TOKEN\nARG A=1 \\\n  B="2"\n'
    expect([...declaredArgs(text)]).toEqual(['BASE', 'TOKEN', 'A', 'B'])
  })
})
