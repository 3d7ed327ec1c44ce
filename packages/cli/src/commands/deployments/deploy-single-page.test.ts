import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const deployed = { deployment_id: 'dep_a', url: 'http://blog.localhost:8080', expires_at: null, warnings: [] }
const app = { 'index.html': '<script src=/a.js>', 'a.js': 'addEventListener("popstate", show)' }
const rule = '/*    /index.html    200\n'

async function deploy(files: Record<string, string>, settings: { answer?: string } = {}) {
  const api = await standIn({ 'POST /projects/blog/deployments': { status: 201, body: deployed } })
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog"}', ...app, ...files })
  const terminal = settings.answer === undefined ? {} : { terminal: true, stdin: settings.answer }
  const result = await svc(['deploy'], { cwd, env, ...terminal })
  expect(result.code).toBe(0)
  const archive = api.calls.at(-1)!.body
  const names = execFileSync('tar', ['-tzf', '-'], { input: archive, encoding: 'utf8' }).trim().split('\n')
  const rules = names.includes('_redirects')
    ? execFileSync('tar', ['-xzOf', '-', '_redirects'], { input: archive, encoding: 'utf8' })
    : undefined
  const saved = JSON.parse(readFileSync(join(cwd, 'svc.json'), 'utf8'))
  return { ...result, names, rules, saved }
}

describe('svc deploy of a single-page app', () => {
  it('warns in a script, and names the line for svc.json', async () => {
    const { stderr, rules, saved } = await deploy({})
    expect(stderr).toContain('"spa": true to svc.json')
    expect([rules, saved]).toEqual([undefined, { project: 'blog' }])
  })

  it('asks on a terminal, adds the rule, and keeps the answer in svc.json', async () => {
    const { stderr, rules, saved } = await deploy({}, { answer: '\n' })
    expect(stderr).toContain('Show index.html for every path without a file?')
    expect([rules, saved]).toEqual([rule, { project: 'blog', spa: true }])
  })

  it('does not ask again after a no', async () => {
    const { rules, saved } = await deploy({}, { answer: 'n\n' })
    expect([rules, saved]).toEqual([undefined, { project: 'blog', spa: false }])
    const again = await deploy({ 'svc.json': JSON.stringify(saved) }, { answer: '' })
    expect(again.stderr).not.toContain('single-page')
    expect(again.rules).toBeUndefined()
  })

  it('adds the rule after those of the site', async () => {
    const files = { 'svc.json': '{"project":"blog","spa":true}', _redirects: '/old /new 301\n' }
    const { names, rules, stderr } = await deploy(files)
    expect(rules).toBe(`/old /new 301\n${rule}`)
    expect(names.sort()).toEqual(['_redirects', 'a.js', 'index.html'])
    expect(stderr).toBe('')
  })

  it('says nothing of a site that has a rule for all paths', async () => {
    const { stderr, rules } = await deploy({ _redirects: '/* /index.html 200\n' })
    expect([stderr, rules]).toEqual(['', '/* /index.html 200\n'])
  })
})
