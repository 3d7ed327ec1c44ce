import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { docsPageOf } from './docs-page.ts'
import { routes } from './routes.ts'

const docs = new URL('../../../docs/', import.meta.url)

test.each(Object.values(routes).flatMap(group => Object.keys(group)))(
  'the page %s has a page of the docs, with the heading that it links to',
  path => {
    const [page = '', anchor] = docsPageOf(path.replace(/:\w+/g, 'x')).slice(1).split('#')
    const file = new URL(`${page}.md`, docs)
    expect(existsSync(file)).toBe(true)
    const headings = readFileSync(file, 'utf8').match(/^##+ .+$/gm) ?? []
    const anchors = headings.map(line => line.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'))
    if (anchor) expect(anchors).toContain(anchor)
  },
)

test('a page of a project leads to the docs of what it shows', () => {
  expect(docsPageOf('/projects/domains/environment')).toBe('/env')
  expect(docsPageOf('/orgs/acme/billing')).toBe('/billing')
  expect(docsPageOf('/nothing')).toBe('/dashboard')
})
