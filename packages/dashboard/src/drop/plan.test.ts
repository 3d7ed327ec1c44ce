import { describe, expect, it } from 'vitest'
import { siteFile } from '../upload/selection.ts'
import { onlyFolder, planFor } from './plan.ts'

const collectionOf = (contents: Record<string, string>) => ({
  folder: 'my-site',
  files: Object.entries(contents).map(([path, content]) => siteFile(path, new File([content], path))),
})
const planOf = (contents: Record<string, string>) => planFor(collectionOf(contents))
const warningsOf = async (contents: Record<string, string>) => (await planOf(contents)).warnings

describe('the plan for a drop', () => {
  it('counts the files that are deployed, and nothing else', async () => {
    const plan = await planOf({
      'index.html': '12345',
      'node_modules/a.js': 'x',
      '_svc/unchanged.json': '{}',
    })
    expect(plan).toMatchObject({ folder: 'my-site', bytes: 5, app: undefined, lacksFrontPage: false })
    expect(plan.files.map(({ path }) => path)).toEqual(['index.html'])
  })

  it('names the server app that will be started, and how', async () => {
    expect(await planOf({ Procfile: 'web: node app.js', 'app.js': '' })).toMatchObject({
      app: { name: 'Procfile', start: 'node app.js' },
      warnings: [],
      lacksFrontPage: false,
    })
    expect(await planOf({ 'server.js': '', '.next/BUILD_ID': '' })).toMatchObject({
      app: { name: 'Next.js standalone', start: 'node server.js' },
      lacksFrontPage: false,
    })
  })

  it('warns about a start command that is missing', async () => {
    expect(await warningsOf({ Procfile: 'worker: node a.js', 'a.js': '' })).toEqual([
      'The Procfile has no web: line, so it starts no server.',
    ])
    const manifest = '{"scripts":{},"dependencies":{"express":"5"}}'
    expect(await warningsOf({ 'app.js': '', 'package.json': manifest })).toEqual([
      expect.stringContaining('This will be a static site'),
    ])
  })

  it('says how an app is deployed that needs what a browser cannot upload', async () => {
    const manifest = '{"scripts":{"start":"node app.js"},"dependencies":{"express":"5"}}'
    expect(await warningsOf({ 'app.js': '', 'package.json': manifest })).toEqual([
      expect.stringContaining('svc deploy --node-modules'),
    ])
  })

  it('warns about files with secrets, but not about their examples', async () => {
    const contents = { 'index.html': '', '.env': '', 'app/.env.local': '', '.env.example': '' }
    expect(await warningsOf(contents)).toEqual([
      expect.stringMatching(/^\.env is part of the upload/),
      expect.stringMatching(/^app\/\.env\.local is part of the upload/),
    ])
  })

  it.each([
    [
      'a page that loads its sources',
      { 'index.html': '<script src="/src/a.ts"></script>', 'dist/index.html': '' },
    ],
    ['a build script and its output', { 'package.json': '{"scripts":{"build":"x"}}', 'dist/index.html': '' }],
    ['a site in the only folder with a page', { 'readme.md': '', 'dist/index.html': '' }],
  ])('offers the folder that was meant, for %s', async (_, contents) => {
    const plan = await planOf(contents as Record<string, string>)
    expect(plan.output).toBe('dist')
    const meant = await planFor(onlyFolder(collectionOf(contents as Record<string, string>), 'dist'))
    expect(meant).toMatchObject({ warnings: [], lacksFrontPage: false, output: undefined })
    expect(meant.files.map(({ path }) => path)).toEqual(['index.html'])
  })

  it('offers no folder if there are several, or if the browser cannot upload all it needs', async () => {
    expect((await planOf({ 'one/index.html': '', 'two/index.html': '' })).output).toBeUndefined()
    const next = { 'package.json': '{"scripts":{"build":"next build"}}', '.next/standalone/server.js': '' }
    expect((await planOf({ ...next, '.next/standalone/.next/BUILD_ID': '' })).output).toBeUndefined()
  })

  it('tells a source folder from a site without a front page', async () => {
    expect(await warningsOf({ 'package.json': '{"scripts":{"build":"x"}}' })).toEqual([
      expect.stringContaining('deploy its output: the folder dist'),
    ])
    expect(await warningsOf({ 'about.html': '' })).toEqual([expect.stringContaining('is a 404')])
    expect(await planOf({ 'a.txt': '' })).toMatchObject({ warnings: [], lacksFrontPage: true })
    expect(await planOf({ 'a.txt': '', _redirects: '/ /a.txt 200' })).toMatchObject({ lacksFrontPage: false })
  })

  it('refuses what the platform would refuse', async () => {
    await expect(planOf({})).rejects.toThrow('Nothing to deploy: no files found in my-site.')
  })
})
