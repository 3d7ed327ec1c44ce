// The docs keep up with the program: links lead somewhere, and every setting and command is described.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const read = path => readFileSync(join(root, path), 'utf8')
const pagesIn = folder =>
  readdirSync(join(root, folder))
    .filter(name => name.endsWith('.md'))
    .map(name => join(folder, name))
const pages = ['.', 'docs', 'bench'].flatMap(pagesIn)

test.each(pages)('the links of %s lead to files that exist', page => {
  const targets = [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target]) => target)
  const missing = targets.filter(
    target => !/^https?:/.test(target) && !existsSync(join(root, dirname(page), target)),
  )
  expect(missing).toEqual([])
})

test('every page of docs is in its index', () => {
  const index = read('docs/README.md')
  const names = readdirSync(join(root, 'docs')).filter(name => name.endsWith('.md') && name !== 'README.md')
  expect(names.filter(name => !index.includes(`(${name})`))).toEqual([])
})

test('every setting is described for operators', () => {
  const settings = new Set(read('packages/server/src/config.ts').match(/\bSVCD_[A-Z][A-Z_]*[A-Z]\b/g))
  const described = read('docs/operations.md')
  expect([...settings].filter(name => !described.includes(`\`${name}\``) && name !== 'SVCD_NAME')).toEqual([])
})

test('every command of svcd is described for operators', () => {
  const commands = [...read('packages/server/src/main.ts').matchAll(/import\('\.\/commands\/(\w+)\.ts'\)/g)]
  const described = read('docs/operations.md')
  expect(commands.length).toBeGreaterThan(0)
  expect(commands.map(([, name]) => name).filter(name => !described.includes(`\`svcd ${name}`))).toEqual([])
})
