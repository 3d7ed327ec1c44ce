import { describe, expect, it } from 'vitest'
import { noticesFor } from './notices.ts'
import { siteFile } from './selection.ts'

const noticesOf = (contents: Record<string, string>) =>
  noticesFor(Object.entries(contents).map(([path, content]) => siteFile(path, new File([content], path))))

describe('the notices about a selection', () => {
  it('are none for a built site', async () => {
    expect(await noticesOf({ 'index.html': '', 'package.json': '{"scripts":{"build":"x"}}' })).toEqual([])
  })

  it('say how an app is deployed that needs what a browser cannot upload', async () => {
    const manifest = '{"scripts":{"start":"node app.js"},"dependencies":{"express":"5"}}'
    expect(await noticesOf({ 'app.js': '', 'package.json': manifest })).toEqual([
      expect.stringContaining('svc deploy --node-modules'),
    ])
  })

  it('name the folder to deploy in place of the sources', async () => {
    const sources = { 'index.html': '<script src="/src/a.ts"></script>', 'dist/index.html': '' }
    expect(await noticesOf(sources)).toEqual([expect.stringContaining('the folder dist')])
  })

  it('name files with secrets, but not their examples', async () => {
    const notices = await noticesOf({
      'index.html': '',
      '.env': '',
      'app/.env.local': '',
      '.env.example': '',
    })
    expect(notices).toEqual([
      expect.stringMatching(/^\.env is part of the upload/),
      expect.stringMatching(/^app\/\.env\.local is part of the upload/),
    ])
  })

  it('tell a source folder from a site without a front page', async () => {
    expect(await noticesOf({ 'package.json': '{"scripts":{"build":"x"}}' })).toEqual([
      expect.stringContaining('deploy its output: the folder dist'),
    ])
    for (const [path, content] of [
      ['package.json', 'not json'],
      ['package.json', '{}'],
      ['about.html', ''],
    ] as const)
      expect(await noticesOf({ [path]: content })).toEqual([expect.stringContaining('is a 404')])
    expect(await noticesOf({ 'a.txt': '' })).toEqual([])
  })
})
