import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { account, project, refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const health = { body: { ok: true, dashboard_url: 'http://app.localhost:8080' } }

/** A browser that writes down what it was told to open. */
function recorder(): { BROWSER: string; opened: () => string[] } {
  const dir = temporaryDirectory({
    'browser.mjs': `import { writeFileSync } from 'node:fs'
      writeFileSync(new URL('opened.json', import.meta.url), JSON.stringify(process.argv.slice(2)))`,
  })
  return {
    BROWSER: `${process.execPath} ${join(dir, 'browser.mjs')}`,
    opened: () => JSON.parse(readFileSync(join(dir, 'opened.json'), 'utf8')),
  }
}

describe('svc dashboard', () => {
  it('opens the dashboard with the token in the fragment, and does not print the token', async () => {
    const api = await standIn({ 'GET /me': { body: account }, 'GET /health': health })
    const { BROWSER, opened } = recorder()
    const result = await svc(['dashboard'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token, BROWSER } })
    expect(result).toEqual({
      code: 0,
      stdout: 'http://app.localhost:8080\n',
      stderr: 'Opened in your browser:\n',
    })
    expect(opened()).toEqual([`http://app.localhost:8080/#token=${token}`])
  })

  it('prints the URL without the token if no browser opens', async () => {
    const api = await standIn({ 'GET /me': { body: account }, 'GET /health': health })
    for (const BROWSER of ['false', 'no-such-browser']) {
      const env = { SVC_API_URL: api.url, SVC_TOKEN: token, BROWSER }
      expect(await svc(['dashboard'], { env })).toEqual({
        code: 0,
        stdout: 'http://app.localhost:8080\n',
        stderr: 'No browser could be opened. The URL is:\n',
      })
    }
  })

  it('prints the URL with the token with --print-url, and takes SVC_DASHBOARD_URL first', async () => {
    const api = await standIn({ 'GET /me': { body: account } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, SVC_DASHBOARD_URL: 'https://console.test//' }
    expect(await svc(['dashboard', '--print-url'], { env })).toEqual({
      code: 0,
      stdout: `https://console.test/#token=${token}\n`,
      stderr: '',
    })
  })

  it('opens nothing for a token that is not valid', async () => {
    const api = await standIn({ 'GET /me': refusal('unauthorized', 'No.', 401), 'GET /health': health })
    const result = await svc(['dashboard', '--print-url'], {
      env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    expect([result.code, result.stdout]).toEqual([1, ''])
    expect(result.stderr).toMatch(/^svc: No\. \(unauthorized\)\n/)
  })

  it('says what to set when the API names no dashboard', async () => {
    const api = await standIn({ 'GET /me': { body: account }, 'GET /health': { body: { ok: true } } })
    const { stderr } = await svc(['dashboard'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(stderr).toBe(`svc: ${api.url} does not say where its dashboard is. Set SVC_DASHBOARD_URL.\n`)
  })
})

describe('svc open', () => {
  it("opens the project's site", async () => {
    const api = await standIn({ 'GET /projects/blog': { body: project('blog') } })
    const { BROWSER, opened } = recorder()
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, BROWSER }
    expect(await svc(['open', '--project', 'blog'], { env })).toMatchObject({ code: 0 })
    expect(opened()).toEqual(['http://blog.localhost:8080'])
  })

  it('opens the primary domain if there is one', async () => {
    const primary_url = 'https://blog.example'
    const body = { ...project('blog'), primary_url }
    const api = await standIn({ 'GET /projects/blog': { body } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const { stdout } = await svc(['open', '--print', '--project', 'blog'], { env })
    expect(stdout).toBe(`${primary_url}\n`)
  })

  it('opens the permanent URL of a deployment, and only prints with --print', async () => {
    const url = 'http://dep-a--blog.localhost:8080'
    const api = await standIn({
      'GET /projects/blog': { body: project('blog') },
      'GET /projects/blog/deployments/dep_a': { body: { id: 'dep_a', url } },
    })
    const { BROWSER, opened } = recorder()
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, BROWSER }
    const open = (...args: string[]) => svc(['open', '--project', 'blog', ...args], { env })
    expect(await open('--print')).toEqual({ code: 0, stdout: 'http://blog.localhost:8080\n', stderr: '' })
    expect(await open('dep_a')).toMatchObject({ code: 0, stdout: `${url}\n` })
    expect(opened()).toEqual([url])
  })

  it('opens only http and https URLs in a browser', async () => {
    for (const url of ['--new-window', 'file:///etc/passwd', 'javascript:alert(1)']) {
      const api = await standIn({ 'GET /projects/blog': { body: project('blog', { url }) } })
      const env = { SVC_API_URL: api.url, SVC_TOKEN: token, BROWSER: 'true' }
      const { stderr } = await svc(['open', '--project', 'blog'], { env })
      expect(stderr).toBe('No browser could be opened. The URL is:\n')
    }
  })
})
