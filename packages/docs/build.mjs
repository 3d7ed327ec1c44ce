// Makes the site of docs/ in dist/: pages, the API reference, and the index of the search. svcd serves it at docs.<domain>.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandPages } from './src/commands.mjs'
import { layOut } from './src/layout.mjs'
import { linkOf, renderMarkdown } from './src/markdown.mjs'
import { readGroups, readQuestions } from './src/pages.mjs'
import { referencePages } from './src/reference.mjs'
import { makeIndex } from './src/search-index.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const dist = join(here, 'dist')
const read = file => readFileSync(join(root, file), 'utf8')

const groups = readGroups(root)
const paths = new Set(['/', ...groups.flatMap(({ pages }) => pages.map(({ path }) => path))])
rmSync(dist, { recursive: true, force: true })
mkdirSync(join(dist, 'assets'), { recursive: true })
const pictures = new Map()
const home = { file: 'docs/README.md', path: '/' }
const written = [home, ...groups.flatMap(({ pages }) => pages)].map(({ file, path }) => {
  const { html, ...page } = renderMarkdown(file, read(file), { hasPage: target => paths.has(target), urlOf })
  return { path, ...page, body: html }
})
written[0].body +=
  '<h2>Reference</h2><ul><li><a href="/commands">Commands</a>: what svc can do, by command</li><li><a href="/api">svc API reference</a>: every endpoint, by noun</li></ul>'
const reference = [...commandPages(), ...(await referencePages())]
groups.push({ title: 'Reference', pages: reference })
const pages = [...written, ...reference]

const questions = new Map()
for (const { question, targets } of readQuestions(root))
  for (const target of targets) {
    const href = linkOf(home.file, target, path => paths.has(path))
    questions.set(href, `${questions.get(href) ?? ''} ${question}`)
  }

const assets = {
  style: asset(
    'style.css',
    read('packages/dashboard/src/styles/tokens.css') + read('packages/docs/site/style.css'),
  ),
  theme: asset('theme.js', read('packages/dashboard/public/theme.js')),
  script: scripts(),
  index: asset('index.json', JSON.stringify(makeIndex(pages.slice(1), { weightOf, isTextFound, questions }))),
}
for (const page of pages)
  write(page.path === '/' ? 'index.html' : `${page.path}.html`, layOut(page, groups, assets))
const missing = '<h1>This page does not exist</h1><p>Search, or choose a page of the list.</p>'
write('404.html', layOut({ path: '', title: 'Page not found', body: missing }, groups, assets))
write('favicon.svg', read('packages/dashboard/public/favicon.svg'))

/** Guides come before the reference, and both before what only operators and developers read. */
function weightOf(path) {
  if (path.startsWith('/api/') || path.startsWith('/commands/')) return 0.45
  const group = groups.findIndex(({ pages }) => pages.some(page => page.path === path))
  if (groups[group].title === 'For people who work on svc' || path === '/changelog') return 0.25
  if (groups[group].title === 'For operators') return 0.8
  return ['/security', '/dashboard', '/glossary', '/import'].includes(path) ? 0.7 : 1
}

/** Pages for people who work on svc are found by their headings, which keeps the index small for everybody else. */
function isTextFound(path) {
  const group = groups.find(({ pages }) => pages.some(page => page.path === path))
  return group?.title !== 'For people who work on svc'
}

/** The URL of a picture of docs/. */
function urlOf(href) {
  if (!pictures.has(href)) pictures.set(href, asset(basename(href), readFileSync(join(root, 'docs', href))))
  return pictures.get(href)
}

/** Files under assets/ never change: their names hold a hash of what is in them. */
function asset(name, content) {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 10)
  write(`assets/${hash}-${name}`, content)
  return `/assets/${hash}-${name}`
}

/** The script with the URLs of the files that it imports. */
function scripts() {
  const words = asset('words.js', read('packages/docs/site/words.js'))
  const find = asset('find.js', read('packages/docs/site/find.js').replace("'./words.js'", `'${words}'`))
  const excerpts = asset(
    'excerpts.js',
    read('packages/docs/site/excerpts.js').replace("'./words.js'", `'${words}'`),
  )
  const site = read('packages/docs/site/site.js')
  return asset(
    'site.js',
    site.replace("'./find.js'", `'${find}'`).replace("'./excerpts.js'", `'${excerpts}'`),
  )
}

function write(file, content) {
  mkdirSync(dirname(join(dist, file)), { recursive: true })
  writeFileSync(join(dist, file), content)
}
