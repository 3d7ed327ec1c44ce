// Writes the tables of settings into docs/operations.md; a test checks that they are up to date.
// After a change of packages/server/src/config: npx tsc -b && node scripts/settings-tables.mjs
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bytesInWords } from '../packages/server/dist/config/kinds.js'
import { sections } from '../packages/server/dist/config/table.js'

const page = fileURLToPath(new URL('../docs/operations.md', import.meta.url))
const begin = '<!-- scripts/settings-tables.mjs writes the tables from here -->\n'
const end = '<!-- to here -->\n'

/** @returns {string} the page as it should be */
export function withSettingsTables(text) {
  const [before, rest] = text.split(begin)
  const [, after] = rest.split(end)
  const tables = Object.entries(sections).map(
    ([heading, settings]) => `### ${heading}\n\n${tableOf(Object.values(settings))}\n`,
  )
  return `${before}${begin}\n${tables.join('\n')}\n${end}${after}`
}

const tableOf = settings =>
  ['| setting | default | values | meaning |', '|---|---|---|---|', ...settings.map(rowOf)].join('\n')

const rowOf = ({ variable, kind, fallback, meaning }) =>
  `| \`${variable}\` | ${fallback.words ?? valueInWords(kind, fallback.from())} | ${kind.accepts} | ${meaning} |`

function valueInWords(kind, value) {
  const printed = kind.print(value)
  if (printed === '') return 'none'
  return kind.accepts.endsWith(' bytes') ? `\`${printed}\` (${bytesInWords(value)})` : `\`${printed}\``
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(page, withSettingsTables(readFileSync(page, 'utf8')))
