import { describe, expect, test } from 'vitest'
import { normalPath, pathProblem } from './paths.ts'

describe('a file of a site', () => {
  test.each([
    'index.html',
    './index.html',
    'a//b/./c.txt',
    '...',
    '..a/b..',
    'über/日本語.html',
    '\ufeffbom',
    '👩‍💻.png',
    'é'.repeat(512),
    `${'./'.repeat(600)}a`,
  ])('can have the path %.40j', path => {
    expect(pathProblem(path)).toBeUndefined()
  })

  test.each([
    ['a\0b', 'has a NUL byte in its path'],
    ['a\\b', 'has a backslash in its path'],
    ['/etc/passwd', 'has an absolute path'],
    ['//host/share', 'has an absolute path'],
    ['../a', "has a '..' segment in its path"],
    ['a/../../b', "has a '..' segment in its path"],
    ['a/..', "has a '..' segment in its path"],
    ['', 'has an empty path'],
    ['./.', 'has an empty path'],
    ['a\ud800', 'has a path that is not valid Unicode'],
    ['x'.repeat(1025), 'has a path of more than 1024 bytes'],
    [`${'é'.repeat(512)}x`, 'has a path of more than 1024 bytes'],
  ])('cannot have the path %.40j', (path, problem) => {
    expect(pathProblem(path)).toBe(problem)
  })

  test('has one spelling of its path', () => {
    expect(normalPath('./a//b/./c.txt/')).toBe('a/b/c.txt')
  })
})
