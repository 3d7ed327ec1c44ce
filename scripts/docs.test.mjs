// The docs keep up with the program: links lead somewhere, and every setting and command is described.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { commands } from '../packages/cli/dist/commands.js'
import { endpoints, routeRoles, shapes } from '../packages/contract/dist/index.js'
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

test('every page of docs is in its index', () => {
  const index = read('docs/README.md')
  const names = readdirSync(join(root, 'docs')).filter(name => name.endsWith('.md') && name !== 'README.md')
  expect(names.filter(name => !index.includes(`(${name})`))).toEqual([])
})

test('the tables of settings are those that the server goes by', () => {
  const page = read('docs/operations.md')
  expect(page, 'run: node scripts/settings-tables.mjs').toBe(withSettingsTables(page))
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

test('the tables of roles are those that the server goes by', () => {
  const described = read('docs/organizations.md')
  const routes = Object.keys(routeRoles)
  expect(described).toContain(roleTable(routes.filter(route => route.includes(' /orgs/'))))
  const exceptions = routes.filter(route => route.includes(' /projects/') && routeRoles[route] !== 'member')
  expect(described).toContain(roleTable(exceptions))
})

test('every action of the audit log is listed', () => {
  const described = read('docs/organizations.md')
  expect(shapes.auditAction.options.filter(action => !described.includes(`\`${action}\``))).toEqual([])
})

function roleTable(routes) {
  const allowed = { member: '✓ | ✓ | ✓', self: '* | ✓ | ✓', admin: '| ✓ | ✓', owner: '| | ✓' }
  const rows = routes.map(
    route => `| \`${route}\` | ${endpoints[route].summary} | ${allowed[routeRoles[route]]} |`,
  )
  return ['| route | does | member | admin | owner |', '|---|---|---|---|---|', ...rows].join('\n')
}
