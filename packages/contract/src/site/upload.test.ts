import { expect, test } from 'vitest'
import { isExcluded, isExcludedFile } from './upload.ts'

test('node_modules folders are uploaded where the user asks for them, .git never', () => {
  const all = { nodeModules: true }
  expect(isExcluded('a/node_modules', 'folder')).toBe(true)
  expect(isExcluded('a/node_modules', 'folder', all)).toBe(false)
  expect(isExcluded('a/.git', 'folder', all)).toBe(true)
})

test('a link in the place of a folder is left out as the folder is', () => {
  expect(isExcluded('node_modules', 'link')).toBe(true)
  expect(isExcluded('svc.json', 'link')).toBe(true)
  expect(isExcluded('svc.json', 'folder')).toBe(false)
})

test('a file is left out with any of its folders', () => {
  for (const path of ['.git/HEAD', 'a/node_modules/b/c.js', 'a/.git', 'svc.json'])
    expect([path, isExcludedFile(path)]).toEqual([path, true])
  for (const path of ['a/svc.json', 'svc.json/a', 'docs/node_modules', 'node_modules.html', 'x.git/a'])
    expect([path, isExcludedFile(path)]).toEqual([path, false])
})
