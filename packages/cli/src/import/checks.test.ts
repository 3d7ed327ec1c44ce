// What svc import finds in the files of a project, which may come from a stranger.
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { standIn } from '../testing/api.ts'
import { svc, temporaryDirectory, token } from '../testing/svc.ts'
import { created, runImport, vercelJson } from './testing/run-import.ts'

describe('what the sources tell', () => {
  it.each([
    [
      'a dotenv file that cannot be read',
      { ...vercelJson({}), '.env': 'A=1\nno value\n' },
      '.env: line 2: is not KEY=value',
    ],
    [
      'forms of Netlify',
      { 'netlify.toml': '', 'index.html': '<form name="a" data-netlify="true">' },
      'post to /_svc/forms/<name>',
    ],
    [
      'a service of the platform',
      { ...vercelJson({}), 'package.json': '{"dependencies":{"@vercel/kv":"3"}}' },
      '@vercel/kv needs a service',
    ],
    ['a configuration that is a program', { 'vercel.ts': '' }, 'is a program'],
    ['a public folder without a build', { ...vercelJson({}), 'public/index.html': '' }, 'output      public'],
    [
      'legacy routes',
      vercelJson({ routes: [{ src: '^/a/([^/]+)$', status: 301, headers: { Location: '/b/$1' } }] }),
      '/a/:p1 /b/:p1 301!',
    ],
    [
      'a build that copies no files',
      {
        ...vercelJson({ redirects: [{ source: '/a', destination: '/b' }] }),
        'package.json': '{"scripts":{"build":"eleventy"},"devDependencies":{"@11ty/eleventy":"3"}}',
      },
      'npm run build && cp _redirects _site/',
    ],
  ])('%s is in the report', async (_, files, words) => {
    const { result } = await runImport(files, {}, ['--dry-run'])
    expect(result).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(words) })
  })
})

describe('files from strangers', () => {
  it('that are links are not read, and nothing is written through one', async () => {
    const outside = temporaryDirectory({ 'vercel.json': '{}', secret: 'A=1' })
    const cwd = temporaryDirectory(vercelJson({ redirects: [{ source: '/a', destination: '/b' }] }))
    symlinkSync(join(outside, 'secret'), join(cwd, '.env'))
    symlinkSync(outside, join(cwd, 'public'))
    writeFileSync(
      join(cwd, 'package.json'),
      JSON.stringify({ scripts: { build: 'vite build' }, devDependencies: { vite: '6' } }),
    )
    const api = await standIn({ 'POST /projects': created })
    const result = await svc(['import', '--project', 'site-1'], {
      cwd,
      env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    expect(result.stdout).not.toContain('.env')
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Cannot write public/_redirects: public is a link or a file.'),
    })
    expect(readdirSync(outside).sort()).toEqual(['secret', 'vercel.json'])
  })

  it('cannot make folders outside of the directory', async () => {
    const outside = temporaryDirectory({})
    const redirects = [{ source: '/a', destination: '/b' }]
    const path = `../${basename(outside)}/made/here`
    const { result, cwd } = await runImport(vercelJson({ outputDirectory: path, redirects }), {})
    expect(result).toMatchObject({ code: 1, stdout: expect.stringContaining('outside of this directory') })
    expect(readdirSync(outside)).toEqual([])

    const linked = temporaryDirectory(vercelJson({ outputDirectory: 'link/made', redirects }))
    symlinkSync(outside, join(linked, 'link'))
    const api = await standIn({ 'POST /projects': created })
    const through = await svc(['import', '--project', 'site-1'], {
      cwd: linked,
      env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    expect(through.stderr).toContain('Cannot write link/made/_redirects: link is a link or a file.')
    expect(readdirSync(outside)).toEqual([])
    expect(readdirSync(cwd)).toEqual(['vercel.json'])
  })

  it('cannot steer the terminal', async () => {
    const config = {
      redirects: [{ source: '/a\u001b[2J\u202e', destination: '/b\u001b]0;x\u0007', statusCode: 999 }],
      '\u001b[31mkey': 1,
    }
    const { result } = await runImport(vercelJson(config), {}, ['--dry-run'])
    expect(result.code).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(result.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
  })

  it('that are too large or cannot be parsed end the import with a reason', async () => {
    const large = await runImport({ 'vercel.json': `{"a":"${'x'.repeat(1024 * 1024)}"}` }, {})
    expect(large.result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('vercel.json is larger than 1 MB.'),
    })
    const broken = await runImport({ 'netlify.toml': '[build\ncommand = 1' }, {})
    expect(broken.result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('netlify.toml is not valid TOML'),
    })
    const list = await runImport({ 'vercel.json': '[]' }, {})
    expect(list.result).toMatchObject({ code: 1, stderr: expect.stringContaining('holds no object') })
  })
})
