// Checks that the dashboard uses every class of its stylesheets, and only classes that exist; part of `npm run lint`.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = 'packages/dashboard/src'
const files = readdirSync(root, { recursive: true })
  .filter(file => /\.(?:tsx?|module\.css)$/.test(file))
  .map(file => path.join(root, file))
const textOf = new Map(files.map(file => [file, readFileSync(file, 'utf8')]))

/** By stylesheet. */
const classes = new Map()
for (const [file, text] of textOf)
  if (file.endsWith('.css'))
    classes.set(file, new Set([...selectorsIn(text).matchAll(/\.([a-z]\w*)/gi)].map(found => found[1])))

/** The text without comments and declarations. */
function selectorsIn(text) {
  return text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/:[^;{}]*;/g, '')
}

const used = new Map([...classes.keys()].map(file => [file, new Set()]))
const problems = []

for (const [file, text] of textOf)
  for (const [, name, from] of text.matchAll(/^import (\w+) from '(\.[^']*\.module\.css)'/gm)) {
    const sheet = path.join(path.dirname(file), from)
    const others = text.replaceAll(/^import .*/gm, '')
    for (const [, one] of others.matchAll(new RegExp(`(?<![\\w.])${name}\\.(\\w+)`, 'g'))) {
      used.get(sheet)?.add(one)
      if (!classes.get(sheet)?.has(one)) problems.push(`${file}: ${sheet} has no class .${one}`)
    }
    // A class that is chosen by its name at run time, as in styles[tone]: all of them may be used.
    if (others.includes(`${name}[`)) used.set(sheet, classes.get(sheet))
  }
for (const [file, text] of textOf)
  for (const [, names, from] of text.matchAll(/composes: ([\w ]+?)(?: from "([^"]+)")?;/g)) {
    const sheet = from ? path.join(path.dirname(file), from) : file
    for (const one of names.split(' ')) used.get(sheet)?.add(one)
  }
for (const [sheet, names] of classes)
  for (const one of names)
    if (!used.get(sheet).has(one)) problems.push(`${sheet}: nothing uses the class .${one}`)

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
