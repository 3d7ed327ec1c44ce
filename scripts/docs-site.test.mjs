// The site of the docs as it was built: what people look up is found, links lead somewhere, pages are small and load nothing else.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { excerptOf } from '../packages/docs/site/excerpts.js'
import { findSections } from '../packages/docs/site/find.js'

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages/docs/dist')
const files = readdirSync(dist, { recursive: true })
const texts = new Map(
  files.filter(file => /\.\w+$/.test(file)).map(file => [file, readFileSync(join(dist, file), 'utf8')]),
)
const read = file => texts.get(file) ?? ''
const pages = files.filter(file => file.endsWith('.html'))
const index = JSON.parse(read(files.find(file => file.endsWith('-index.json'))))

test.each([
  ['redirect', '/serving#_redirects'],
  ['apex domain', '/domains#www-the-bare-domain-and-the-primary-domain'],
  ['github actions', '/ci#github-actions'],
  ['gitlab', '/ci#gitlab-ci'],
  ['node version', '/builds#the-version-of-nodejs'],
  ['variables for previews', '/env#production-and-previews'],
  ['database', '/apps#databases-and-files-that-stay'],
  ['upgrade', '/server#upgrade'],
  ['rollback', '/deployments#roll-back-and-promote'],
  ['custom headers', '/serving#_headers'],
  ['password protect', '/access#with-a-password'],
  ['ssl certificate', '/domains'],
  ['delete project', '/projects#deleting'],
  ['invite a member', '/orgs#invites'],
  ['cron', '/crons'],
  ['backup', '/operations#backup-and-restore'],
  ['single page app', '/serving#single-page-apps'],
  ['monorepo', '/builds'],
  ['next.js', '/frameworks#nextjs'],
  ['astro', '/frameworks#astro'],
  ['sveltekit', '/frameworks#sveltekit'],
  ['nuxt', '/frameworks#nuxt'],
  ['react router', '/frameworks#react-router'],
  ['vite', '/frameworks#vite'],
  ['eleventy', '/frameworks#eleventy'],
  ['nestjs', '/frameworks#express-hono-and-nestjs'],
  ['templates', '/projects#templates'],
  ['SVCD_DNS_TARGET', '/operations#domains-and-certificates'],
  ['POST /projects', '/api/projects#post-projects'],
])('a search for "%s" shows %s among the first four results', (query, href) => {
  expect(findSections(index, query, 4).map(found => found.href)).toContain(href)
})

test.each([
  ['redirect', '/serving#_redirects'],
  ['apex domain', '/domains#www-the-bare-domain-and-the-primary-domain'],
  ['CI', '/ci'],
  ['node version', '/builds#the-version-of-nodejs'],
  ['variables for previews', '/env#production-and-previews'],
  ['database', '/database'],
  ['upgrade', '/server#upgrade'],
  ['uninstall', '/uninstall'],
  ['public repository', '/git-hosts#a-public-repository'],
  ['custom 404', '/serving#your-own-404-page'],
  ['cors headers', '/serving#cors'],
  ['password', '/access#with-a-password'],
  ['team', '/orgs'],
  ['migrations', '/data#run-a-command-before-each-deploy'],
  ['monorepo', '/builds#monorepos'],
  ['cold start', '/apps#sleeping-and-waking'],
  ['slack', '/notifications#webhooks'],
  ['ssh', '/apps#run-a-command'],
  ['websocket', '/apps#websockets'],
  ['build timeout', '/builds#what-a-build-gets'],
  ['delete project', '/projects#deleting'],
])('a search for "%s" shows %s first', (query, href) => {
  expect(findSections(index, query, 1).map(found => found.href)).toEqual([href])
})

test('each question of the first page is answered by a link to its section', () => {
  const questions = [...read('index.html').matchAll(/<tr><td>(.+?)<\/td><td>(.+?)<\/td><\/tr>/g)]
  expect(questions.length).toBeGreaterThan(20)
  for (const [, question, answer] of questions) {
    const [first] = [...answer.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
    const found = findSections(index, question.replaceAll(/<[^>]+>/g, ''), 4).map(({ href }) => href)
    expect(found, question).toContain(first)
  }
})

const words = pieces => pieces.map(({ text }) => text).join('')
const found = pieces => pieces.filter(({ isFound }) => isFound).map(({ text }) => text)

test('an excerpt shows the part of a section that has most of the words, and marks them', () => {
  const text = `A domain is first. ${'Something else. '.repeat(20)}The apex of Domains needs an A record. ${'More. '.repeat(40)}`
  const pieces = excerptOf(text, 'apex domain')
  expect(found(pieces)).toEqual(['apex', 'Domains'])
  expect(words(pieces)).toMatch(/^… .*The apex of Domains needs an A record\..* …$/)
  expect(words(pieces).length).toBeLessThan(200)
})

test('an excerpt of a short text is the text, also with marks of its own', () => {
  const text = 'Set <b>SVCD_DNS_TARGET</b> here'
  expect(words(excerptOf(text, 'svcd_dns'))).toBe(text)
  expect(found(excerptOf(text, 'svcd_dns'))).toEqual(['SVCD_DNS_TARGET'])
})

test('a text without the words has no excerpt', () => {
  expect(excerptOf('Nothing of it', 'apex domain')).toEqual([])
  expect(excerptOf('', 'apex')).toEqual([])
})

test('a search for words that no page has finds nothing', () => {
  expect(findSections(index, 'qqqqzzzz')).toEqual([])
  expect(findSections(index, ' … ')).toEqual([])
})

const targetsIn = html =>
  [...html.matchAll(/ (?:href|src|data-index)="([^"]+)"/g)].map(([, target]) => target)
const fileOf = path =>
  path === '/' ? 'index.html' : files.includes(path.slice(1)) ? path.slice(1) : `${path.slice(1)}.html`

test.each(pages)('the links of %s lead to pages and headings that exist', page => {
  const html = read(page)
  const missing = targetsIn(html).filter(target => {
    if (target.startsWith('https://') || target.startsWith('@')) return false
    const [path, anchor] = target.split('#')
    const file = path ? fileOf(path) : page
    return !files.includes(file) || (anchor && !read(file).includes(` id="${anchor}"`))
  })
  expect(missing).toEqual([])
})

test('pages load nothing from other hosts, and have no inline scripts or styles', () => {
  const loaded = pages.flatMap(page =>
    [...read(page).matchAll(/<(?:script|link|img)\b[^>]*>/g)].map(([tag]) => tag),
  )
  expect(loaded.filter(tag => !/ (?:src|href)="\//.test(tag))).toEqual([])
  expect(pages.filter(page => / style="|<style/.test(read(page)))).toEqual([])
})

test('a page takes at most 24 KB, and the index of the search at most 56 KB', () => {
  const sizeOf = file => brotliCompressSync(readFileSync(join(dist, file))).length
  const large = pages.filter(page => sizeOf(page) > 24 * 1024)
  expect(large).toEqual([])
  expect(sizeOf(files.find(file => file.endsWith('-index.json')))).toBeLessThan(56 * 1024)
})
