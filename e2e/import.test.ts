// An import, as its user meets it: the real tool, a real platform, and the site that comes out of it.
import { execFileSync } from 'node:child_process'
import { createClient } from '@svc/contract/client'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { Shell } from './shell.ts'
import { Machine, type Svcd } from './svcd.ts'
import { visit } from './visit.ts'

let machine: Machine
let svcd: Svcd
let token: string
beforeAll(async () => {
  machine = await Machine.make()
  svcd = await machine.start()
  token = await machine.token('ada')
})
afterAll(async () => {
  await svcd?.stop()
  await machine?.remove()
})

const apiUrl = () => `http://127.0.0.1:${svcd.port}`
const call = () => createClient({ baseUrl: apiUrl(), token })

async function read(project: string, target: string) {
  const { status, headers, body } = await visit(`http://${project}.localhost:${svcd.port}`, target)
  return { status, headers, body: body.toString() }
}

function openShell(files: Record<string, string>): Shell {
  const shell = new Shell({ SVC_API_URL: apiUrl(), SVC_TOKEN: token })
  onTestFinished(() => shell.remove())
  shell.write(files)
  return shell
}

it('an import of a Vercel project brings variables, jobs, rules and a repository, and the site works as it did there', async () => {
  const shell = openShell({
    'vercel.json': JSON.stringify({
      outputDirectory: 'site',
      cleanUrls: true,
      redirects: [
        { source: '/old/:path*', destination: '/new/:path*', permanent: true },
        { source: '/taken.txt', destination: '/new/', permanent: false },
      ],
      rewrites: [{ source: '/((?!api/).*)', destination: '/index.html' }],
      headers: [{ source: '/(.*)', headers: [{ key: 'X-Frame-Options', value: 'DENY' }] }],
      crons: [{ path: '/tick', schedule: '0 5 * * *' }],
    }),
    '.env': 'GREETING="hello there"\nPORT=1\n',
    'site/index.html': 'front page',
    'site/about.html': 'about us',
    'site/taken.txt': 'a file',
  })
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd: shell.home })
  const dry = await shell.svc('import', '--project', 'moved-site', '--dry-run')
  expect(dry).toMatchObject({ code: 0, stderr: '' })
  expect((await call()('GET /projects', {})).projects).toEqual([])

  const first = await shell.svc('import', '--project', 'moved-site')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toContain('Made the repository ada/moved-site on this platform')
  const params = { name: 'moved-site' }
  const state = async () => ({
    env: (await call()('GET /projects/:name/env', { params })).env.map(({ key, value, scope }) => ({
      key,
      value,
      scope,
    })),
    crons: (await call()('GET /projects/:name/crons', { params })).crons.map(({ schedule, path }) => ({
      schedule,
      path,
    })),
    repo: (await call()('GET /projects/:name/repo', { params })).output_dir,
  })
  const expected = {
    env: [{ key: 'GREETING', value: 'hello there', scope: 'both' }],
    crons: [{ schedule: '0 5 * * *', path: '/tick' }],
    repo: 'site',
  }
  expect(await state()).toEqual(expected)
  const again = await shell.svc('import')
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(await state()).toEqual(expected)

  const deployed = await shell.svc('deploy', 'site')
  expect(deployed).toMatchObject({ code: 0, stderr: '' })
  const get = (target: string) => read('moved-site', target)
  expect(await get('/old/a/b?x=1')).toMatchObject({ status: 308, headers: { location: '/new/a/b?x=1' } })
  expect(await get('/taken.txt')).toMatchObject({ status: 307, headers: { location: '/new/' } })
  expect(await get('/about.html')).toMatchObject({ status: 308, headers: { location: '/about' } })
  expect(await get('/about')).toMatchObject({
    status: 200,
    body: 'about us',
    headers: { 'x-frame-options': 'DENY' },
  })
  expect(await get('/a/page/of/the/app')).toMatchObject({ status: 200, body: 'front page' })
  expect(await get('/api/users')).toMatchObject({ status: 404 })
})

it('an import of a Netlify site leaves its own files in force', async () => {
  const shell = openShell({
    'netlify.toml':
      '[build]\npublish = "www/"\n[[redirects]]\nfrom = "/b"\nto = "/c"\n[[headers]]\nfor = "/*"\n[headers.values]\nX-One = "1"\n',
    'www/index.html': 'front page',
    'www/_redirects': '/a /b 302\n',
  })
  expect(await shell.svc('import', '--project', 'moved-too')).toMatchObject({ code: 0, stderr: '' })
  expect(await shell.svc('deploy', 'www')).toMatchObject({ code: 0, stderr: '' })
  const get = (target: string) => read('moved-too', target)
  expect(await get('/a')).toMatchObject({ status: 302, headers: { location: '/b' } })
  expect(await get('/b')).toMatchObject({ status: 301, headers: { location: '/c' } })
  expect(await get('/')).toMatchObject({ status: 200, headers: { 'x-one': '1' } })
})
