// HTTP/2 clients that people use, which `npm test` installs, against a real server with the lane and without it.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { httpsDomain, withAndWithoutLanes } from '../../testing/https-server.ts'
import { deploySite } from '../../testing/sites.ts'

const big = 'x'.repeat(700_000)
const images = Array.from({ length: 40 }, (_, at) => `i${at}.svg`)
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'
const page = `<title>loading</title>${images.map(name => `<img src="/${name}">`).join('')}<script>
  onload = () => { document.title = [...document.images].filter(image => image.naturalWidth === 8).length + ' images' }
</script>`
const files = {
  'index.html': page,
  'small.txt': 'small',
  'big.txt': big,
  ...Object.fromEntries(images.map(name => [name, svg])),
}

const run = promisify(execFile)

withAndWithoutLanes(server => {
  let host: string
  let url: string
  beforeAll(async () => {
    host = `${await deploySite(server(), (await server().account()).token, files)}.${httpsDomain}`
    url = `https://${host}:${server().running.tlsPort}`
  })

  it('curl gets small and large files on one connection', async () => {
    const resolve = `${host}:${server().running.tlsPort}:127.0.0.1`
    const ask = async (...more: string[]) =>
      (await run('curl', ['-sk', '--http2', '--resolve', resolve, ...more], { maxBuffer: 1e8 })).stdout
    const paths = ['/small.txt', '/small.txt', '/big.txt', '/nowhere', '/small.txt', '/big.txt']
    const written = [
      '-o',
      '/dev/null',
      '-w',
      '%{http_version} %{http_code} %{size_download} %{num_connects}\n',
    ]
    const answers = (
      await ask(...paths.flatMap(path => [...written.slice(0, 2), url + path]), ...written.slice(2))
    )
      .trim()
      .split('\n')
    const expected = [
      '2 200 5 1',
      '2 200 5 0',
      '2 200 700000 0',
      /^2 404 \d+ 0$/,
      '2 200 5 0',
      '2 200 700000 0',
    ]
    expect(answers).toEqual(expected.map(one => expect.stringMatching(one)))
    const etag = /etag: (.*)\r/i.exec(await ask('-I', `${url}/small.txt`))![1]!
    expect(await ask('-i', '-H', `if-none-match: ${etag}`, `${url}/small.txt`)).toMatch(/^HTTP\/2 304/)
    expect(await ask('-d', 'x=y', '-o', '/dev/null', '-w', '%{http_code}', `${url}/small.txt`)).toBe('405')
  })

  it('h2load gets an answer to each of its requests, whatever its windows are', async () => {
    for (const windows of [[], ['-w10', '-W10'], ['-w16', '-W16']]) {
      const where = [`--connect-to=127.0.0.1:${server().running.tlsPort}`, `${url}/small.txt`, `${url}/`]
      const { stdout } = await run('h2load', ['-n400', '-c4', '-m20', ...windows, ...where])
      expect(stdout).toContain('400 succeeded, 0 failed')
      expect(stdout).toContain('status codes: 400 2xx')
    }
  })

  it('h2load gets many large files that it asks for at once on one connection', async () => {
    const where = [`--connect-to=127.0.0.1:${server().running.tlsPort}`, `${url}/big.txt`]
    for (const windows of [[], ['-w14', '-W14'], ['-w30', '-W30']]) {
      const { stdout } = await run('h2load', ['-n120', '-c1', '-m100', ...windows, ...where])
      expect(stdout).toContain('120 succeeded, 0 failed')
    }
  })

  it('Chromium loads a page with all its images', async () => {
    const profile = await mkdtemp(path.join(tmpdir(), 'svc-chromium-'))
    onTestFinished(() => rm(profile, { recursive: true, force: true }))
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--ignore-certificate-errors', '--dump-dom']
    const rules = `--host-resolver-rules=MAP ${host} 127.0.0.1`
    const { stdout } = await run('chromium', [...flags, rules, `--user-data-dir=${profile}`, `${url}/`])
    expect(stdout).toContain(`<title>${images.length} images</title>`)
  })
})
