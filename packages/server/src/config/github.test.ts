import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { printSettings, readSettings } from '../config.ts'
import { githubApp } from './github.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const whole = {
  SVCD_FORGE: 'github',
  SVCD_GITHUB_APP_ID: '123',
  SVCD_GITHUB_APP_SLUG: 'my-svc',
  SVCD_GITHUB_CLIENT_ID: 'Iv1.abc',
  SVCD_GITHUB_PRIVATE_KEY: pem,
  SVCD_GITHUB_WEBHOOK_SECRET: 'a-webhook-secret',
}

const wrongSettings: [Record<string, string>, string][] = [
  ...Object.keys(whole)
    .filter(name => name !== 'SVCD_FORGE')
    .map(name => [{ [name]: '' }, name] as [Record<string, string>, string]),
  [{ SVCD_FORGE: 'gitlab' }, 'SVCD_FORGE'],
  [{ SVCD_FORGE: 'builtin,' }, 'SVCD_FORGE'],
  [{ SVCD_GITHUB_APP_ID: 'my-app' }, 'SVCD_GITHUB_APP_ID'],
  [{ SVCD_GITHUB_APP_SLUG: 'https://github.com/apps/x' }, 'SVCD_GITHUB_APP_SLUG'],
  [{ SVCD_GITHUB_PRIVATE_KEY: 'not a key' }, 'SVCD_GITHUB_PRIVATE_KEY'],
  [{ SVCD_GITHUB_PRIVATE_KEY_FILE: '/also/a/file' }, 'SVCD_GITHUB_PRIVATE_KEY_FILE'],
  [{ SVCD_GITHUB_PRIVATE_KEY: '', SVCD_GITHUB_PRIVATE_KEY_FILE: '/no/such' }, 'SVCD_GITHUB_PRIVATE_KEY_FILE'],
  [{ SVCD_GITHUB_URL: 'github.example.com' }, 'SVCD_GITHUB_URL'],
  [{ SVCD_GITHUB_API_URL: 'https://user:password@github.example.com' }, 'SVCD_GITHUB_API_URL'],
]

describe('settings of GitHub', () => {
  it('are not needed for the built-in forge', () => {
    expect(readSettings({}).forge).toEqual(['builtin'])
    expect(githubApp(readSettings({}))).toBeUndefined()
  })

  it.each([
    ['github', ['github']],
    ['builtin,github', ['builtin', 'github']],
    ['github, builtin', ['github', 'builtin']],
  ])('choose the forges: %s', (SVCD_FORGE, forge) => {
    expect(readSettings({ ...whole, SVCD_FORGE }).forge).toEqual(forge)
  })

  it.each(wrongSettings)('name the one that is missing or wrong: %o', (wrong, name) => {
    expect(() => readSettings({ ...whole, ...wrong })).toThrow(new RegExp(`^${name} `))
  })

  it('take the key as PEM, in one line, as base64, or from a file', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'svc-key-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    const file = path.join(dir, 'key.pem')
    writeFileSync(file, pem)
    const keyOf = (changes: Record<string, string>) =>
      githubApp(readSettings({ ...whole, ...changes }))?.privateKey.reveal()
    const right = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    expect(keyOf({})).toBe(right)
    expect(keyOf({ SVCD_GITHUB_PRIVATE_KEY: pem.replaceAll('\n', '\\n') })).toBe(right)
    expect(keyOf({ SVCD_GITHUB_PRIVATE_KEY: Buffer.from(pem).toString('base64') })).toBe(right)
    expect(keyOf({ SVCD_GITHUB_PRIVATE_KEY: '', SVCD_GITHUB_PRIVATE_KEY_FILE: file })).toBe(right)
  })

  it('find the API of a GitHub Enterprise Server below its URL', () => {
    const urls = (SVCD_GITHUB_URL: string) => githubApp(readSettings({ ...whole, SVCD_GITHUB_URL }))
    expect(urls('')).toMatchObject({ url: 'https://github.com', apiUrl: 'https://api.github.com' })
    expect(urls('https://git.example.com/')).toMatchObject({
      url: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
    })
  })

  it('show no secret', () => {
    const shown = printSettings(readSettings({ ...whole, SVCD_GITHUB_CLIENT_SECRET: 'hush-hush' }))
    expect(shown).toContain('SVCD_GITHUB_APP_SLUG=my-svc\n')
    expect(shown).not.toMatch(/a-webhook-secret|hush-hush|PRIVATE KEY-----/)
  })
})
