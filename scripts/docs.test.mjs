// The docs keep up with the program: links lead somewhere, and every setting and command is described.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { commands } from '../packages/cli/dist/commands.js'
import { findSections } from '../packages/docs/site/find.js'
import { tableIn, tables } from './docs-tables.mjs'
import { withSettingsTables } from './settings-tables.mjs'

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

test.each(pages)('the links of %s to headings lead to headings that exist', page => {
  const links = [...read(page).matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)]
  const missing = links.filter(
    ([, target, anchor]) => !anchorsOf(target ? join(dirname(page), target) : page).includes(anchor),
  )
  expect(missing.map(([link]) => link)).toEqual([])
})

/** The names that GitHub gives to the headings of a page. */
const anchorsOf = page =>
  [...read(page).matchAll(/^#+ +(.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

test('every page of docs is in its index', () => {
  const index = read('docs/README.md')
  const names = readdirSync(join(root, 'docs')).filter(name => name.endsWith('.md') && name !== 'README.md')
  expect(names.filter(name => !index.includes(`(${name})`))).toEqual([])
})

test('the tables of settings are those that the server goes by', () => {
  const page = read('docs/operations.md')
  expect(page, 'run `npm run docs`').toBe(withSettingsTables(page))
})

test('every command of svcd is described for operators', () => {
  const commands = [...read('packages/server/src/main.ts').matchAll(/import\('\.\/commands\/(\w+)\.ts'\)/g)]
  const described = read('docs/operations.md')
  expect(commands.length).toBeGreaterThan(0)
  expect(commands.map(([, name]) => name).filter(name => !described.includes(`\`svcd ${name}`))).toEqual([])
})

test('every command of svc is described for users', () => {
  // `svc password [status]` describes `svc password status`.
  const described = read('docs/cli.md').replaceAll(/[[\]]/g, '')
  const runnable = Object.keys(commands).filter(name => commands[name].load)
  expect(runnable.filter(name => !described.includes(`svc ${name}`))).toEqual([])
})

test.each(tables)(
  'the table of $name in $page is the one that the server goes by',
  ({ page, name, text }) => {
    expect(tableIn(page, name), 'run `npm run docs`').toBe(text)
  },
)

const lookUps = [
  ['redirect', '/serving#_redirects'],
  ['apex domain', '/domains#www-the-bare-domain-and-the-primary-domain'],
  ['ci', '/ci'],
  ['node version', '/builds#the-version-of-nodejs'],
  ['variables for previews', '/env#production-and-previews'],
  ['database', '/database'],
  ['upgrade', '/server#upgrade'],
  ['rollback', '/deployments#roll-back-and-promote'],
  ['cron', '/crons'],
  ['forms', '/forms'],
  ['monorepo', '/builds#monorepos'],
  ['root directory', '/builds#monorepos'],
  ['output directory', '/builds#build-command-and-output-folder'],
  ['404', '/serving#your-own-404-page'],
  ['logs', '/logs'],
  ['quickstart', '/start'],
]

test.each(lookUps)('who searches the docs for “%s” finds %s first', (query, href) => {
  const assets = join(root, 'packages/docs/dist/assets')
  const file = readdirSync(assets).find(name => name.endsWith('-index.json'))
  const index = JSON.parse(readFileSync(join(assets, file), 'utf8'))
  expect(findSections(index, query)[0].href).toBe(href)
})
