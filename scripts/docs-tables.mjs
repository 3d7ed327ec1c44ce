// `npm run docs`: writes the tables that follow from the endpoint rows into the pages. docs.test.mjs checks them.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  describeRateLimit,
  endpoints,
  rateLimits,
  routeRoles,
  shapes,
} from '../packages/contract/dist/index.js'

const rows = Object.entries(endpoints)
const code = text => `\`${text}\``
const list = texts => texts.map(code).join(', ')
const keysWith = has => rows.filter(([, row]) => has(row)).map(([key]) => key)

const table = (head, lines) =>
  [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...lines.map(cells => `| ${cells} |`)].join(
    '\n',
  )

const allowed = { member: '✓ | ✓ | ✓', self: '* | ✓ | ✓', admin: '| ✓ | ✓', owner: '| | ✓' }
const roleTable = isListed =>
  table(
    ['route', 'does', 'member', 'admin', 'owner'],
    Object.entries(routeRoles)
      .filter(([route, role]) => isListed(route, role))
      .map(([route, role]) => `${code(route)} | ${endpoints[route].summary} | ${allowed[role]}`),
  )

function auditTable() {
  const lines = shapes.auditAction.options.map(action => {
    const writers = keysWith(({ audit = [] }) => audit.includes(action))
    return `${code(action)} | ${list(writers)}`
  })
  return table(['action', 'written by'], lines)
}

const limitedKeys = Object.keys(rateLimits).map(name => [
  name,
  keysWith(row => row.rateLimits.includes(name)),
])
const allChanges = 'all endpoints that take a token, but for `GET`'

const limitTable = () =>
  table(
    ['limit', 'endpoints'],
    limitedKeys
      .filter(([, keys]) => keys.length > 0)
      .map(([name, keys]) => `${describeRateLimit(name)} | ${name === 'writes' ? allChanges : list(keys)}`),
  )

const otherLimitTable = () =>
  table(
    ['limit'],
    limitedKeys.filter(([, keys]) => keys.length === 0).map(([name]) => describeRateLimit(name)),
  )

export const tables = [
  {
    page: 'docs/orgs.md',
    name: 'roles in an org',
    text: roleTable(route => route.includes(' /orgs/')),
  },
  {
    page: 'docs/orgs.md',
    name: 'roles in a project',
    text: roleTable((route, role) => route.includes(' /projects/') && role !== 'member'),
  },
  { page: 'docs/orgs.md', name: 'audit actions', text: auditTable() },
  { page: 'docs/limits.md', name: 'rate limits of endpoints', text: limitTable() },
  { page: 'docs/limits.md', name: 'other rate limits', text: otherLimitTable() },
]

const pathOf = page => join(fileURLToPath(new URL('..', import.meta.url)), page)
const mark = name => `<!-- table: ${name}. Written by npm run docs. -->\n\n`

/** The table as the page has it: from its mark to the next empty line. */
export function tableIn(page, name) {
  const [, after] = readFileSync(pathOf(page), 'utf8').split(mark(name))
  return after?.split('\n\n')[0]?.trimEnd()
}

function write({ page, name, text }) {
  const [before, after] = readFileSync(pathOf(page), 'utf8').split(mark(name))
  if (after === undefined) throw new Error(`${page} has no place for the table: ${mark(name).trim()}`)
  const rest = after.startsWith('|') ? after.slice(after.split('\n\n')[0].length) : `\n\n${after}`
  writeFileSync(pathOf(page), before + mark(name) + text + rest)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const each of tables) write(each)
