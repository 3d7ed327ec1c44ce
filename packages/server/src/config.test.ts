import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { printSettings, readSettings, SettingError, s3Settings, trustedAddresses } from './config.ts'

const stripe = { SVCD_STRIPE_SECRET_KEY: 'sk_test_1', SVCD_STRIPE_WEBHOOK_SECRET: 'whsec_1' }
const seller = {
  SVCD_SELLER_NAME: 'Acme B.V.',
  SVCD_SELLER_ADDRESS: 'Amsterdam',
  SVCD_SELLER_VAT_NUMBER: 'NL123456789B01',
}

describe('settings', () => {
  it('work without any variable', () => {
    expect(readSettings({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      platformDomain: 'localhost',
      publicScheme: 'http',
      dnsTarget: 'edge.localhost',
      signups: 'invite',
      deviceInterval: 5,
    })
  })

  it.each([
    [{}, 'sandbox'],
    [{ SVCD_PLATFORM_DOMAIN: 'example.com' }, 'off'],
    [{ SVCD_PLATFORM_DOMAIN: 'example.com', SVCD_BILLING: 'sandbox' }, 'sandbox'],
    [{ ...stripe, ...seller }, 'stripe'],
    [{ SVCD_STRIPE_SECRET_KEY: 'sk_test_1', SVCD_BILLING: 'off' }, 'off'],
  ])('take billing from the payment provider and the domain: %o', (environment, billing) => {
    expect(readSettings(environment).billing).toBe(billing)
  })

  it.each([
    [{ SVCD_BILLING: 'stripe' }, 'SVCD_STRIPE_SECRET_KEY'],
    [{ SVCD_STRIPE_SECRET_KEY: 'sk_test_1' }, 'SVCD_STRIPE_WEBHOOK_SECRET'],
    [stripe, 'SVCD_SELLER_NAME'],
    [{ ...stripe, ...seller, SVCD_SELLER_ADDRESS: '' }, 'SVCD_SELLER_ADDRESS'],
    [{ ...stripe, ...seller, SVCD_SELLER_VAT_NUMBER: ' ' }, 'SVCD_SELLER_VAT_NUMBER'],
    [{ SVCD_BILLING: 'paypal' }, 'SVCD_BILLING'],
  ])('name what Stripe lacks: %o', (environment, name) => {
    expect(() => readSettings(environment)).toThrow(new RegExp(`^${name} `))
  })

  it('write https addresses for a real domain', () => {
    const settings = readSettings({ SVCD_PLATFORM_DOMAIN: 'Example.com' })
    expect([settings.platformDomain, settings.publicScheme, settings.dnsTarget]).toEqual([
      'example.com',
      'https',
      'edge.example.com',
    ])
  })

  it.each([
    ['SVCD_PORT', 'eighty'],
    ['SVCD_PORT', '65536'],
    ['SVCD_PORT', '-1'],
    ['SVCD_PLATFORM_DOMAIN', 'http://example.com'],
    ['SVCD_PUBLIC_SCHEME', 'ftp'],
    ['SVCD_PUBLIC_PORT', '0'],
    ['SVCD_DATABASE_URL', 'mysql://user:hunter2@db'],
    ['SVCD_STORAGE_URL', 'not a url'],
    ['SVCD_STORAGE_URL', 's3://bucket'],
    ['SVCD_STORAGE_URL', 's3://key@bucket'],
    ['SVCD_STORAGE_URL', 's3://key:hunter2@Bad_Bucket'],
    ['SVCD_STORAGE_URL', 's3://key:hunter2@bucket?endpoint=ftp://x'],
    ['SVCD_STORAGE_URL', 's3://key:hunter2@bucket?timeout=0'],
    ['SVCD_STORAGE_URL', 's3://key:hunter2@bucket?colour=blue'],
    ['SVCD_PACK_CACHE_BYTES', '10GB'],
    ['SVCD_SECRET_KEY', 'c2hvcnQ='],
    ['SVCD_SECRET_KEY', `${'A'.repeat(43)}=,${'B'.repeat(43)}=`],
    ['SVCD_SECRET_KEYS_OLD', `${'A'.repeat(43)}=,hunter2`],
    ['SVCD_SIGNUPS', 'maybe'],
    ['SVCD_SELLER_VAT_NUMBER', 'DE136695976'],
    ['SVCD_VIES_URL', 'ftp://vies.example'],
    ['SVCD_TRUST_PROXY', '10.0.0.0/33'],
    ['SVCD_TRUST_PROXY', 'proxy.example.com'],
    ['SVCD_DEVICE_INTERVAL', '1.5'],
    ['SVCD_MAIL_FROM', 'noreply'],
    ['SVCD_MAIL_FROM', 'svc <noreply>'],
    ['SVCD_MAIL_FROM', 'svc <no-reply@example.com'],
    ['SVCD_LOG_LEVEL', 'loud'],
    ['SVCD_CONFIG', '/nowhere/at/all'],
    ['SVCD_AI_KEY', '[secret]'],
    ['SVCD_SELLER_NAME', 'Acme\nBcc: everyone'],
    ['SVCD_ACME_DIRECTORY', 'https://user:hunter2@ca.example'],
  ])('name %s where it is %j, and repeat no secret', (variable, value) => {
    const read = () => readSettings({ [variable]: value })
    expect(read).toThrow(SettingError)
    expect(read).toThrow(new RegExp(`^${variable} `))
    expect(read).not.toThrow(/hunter2/)
  })

  it.each([
    'svc@example.com',
    'svc <no-reply@localhost>',
    '"Example, Inc." <mail@example.com>',
    '<a@b.example>',
  ])('send email as %s', sender => {
    expect(readSettings({ SVCD_MAIL_FROM: sender }).mailFrom).toBe(sender)
  })

  it('come from a file too, and the environment wins', () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'svc-config-')), 'svcd.env')
    writeFileSync(file, '# comment\n\nSVCD_PORT=1234\nSVCD_SIGNUPS="open"\n')
    expect(readSettings({ SVCD_CONFIG: file, SVCD_PORT: '99' })).toMatchObject({ port: 99, signups: 'open' })
  })

  it('name the missing half of S3 credentials', () => {
    expect(() => readSettings({ SVCD_S3_ACCESS_KEY_ID: 'key' })).toThrow(
      /^SVCD_S3_SECRET_ACCESS_KEY is missing/,
    )
    expect(() => readSettings({ SVCD_S3_SECRET_ACCESS_KEY: 'x' })).toThrow(
      /^SVCD_S3_ACCESS_KEY_ID is missing/,
    )
  })

  it('read an S3 store from its URL, with credentials from either place', () => {
    const expected = {
      endpoint: 'https://s3.example.com/',
      region: 'eu-1',
      bucket: 'my-bucket',
      prefix: 'a/b/',
    }
    const url = 'my-bucket/a/b?endpoint=https://s3.example.com&region=eu-1'
    const keys = { accessKeyId: 'key', secretAccessKey: 's/c' }
    const inUrl = readSettings({ SVCD_STORAGE_URL: `s3://key:s%2Fc@${url}` })
    const beside = { SVCD_S3_ACCESS_KEY_ID: 'key', SVCD_S3_SECRET_ACCESS_KEY: 's/c' }
    const besideIt = readSettings({ SVCD_STORAGE_URL: `s3://${url}`, ...beside })
    for (const settings of [inUrl, besideIt])
      expect(s3Settings(settings)).toMatchObject({ ...expected, ...keys })
    expect(printSettings(besideIt)).not.toContain('s/c')
    expect(s3Settings(readSettings({}))).toBeUndefined()
  })

  it('are shown without secrets', () => {
    const key = `${'A'.repeat(43)}=`
    const settings = readSettings({
      SVCD_DATABASE_URL: 'postgres://svc:hunter2@db/svc',
      SVCD_SECRET_KEY: key,
      SVCD_SECRET_KEYS_OLD: `${key}, ${key}`,
    })
    const printed = printSettings(settings)
    expect(printed).toContain('\n# SVCD_DATABASE_URL=[secret]\n')
    expect(printed).toContain('\n# SVCD_SECRET_KEYS_OLD=[secret],[secret]\n')
    expect(printed).toContain('\nSVCD_PORT=8080\n')
    expect(printed + JSON.stringify(settings)).not.toMatch(/hunter2|AAAA/)
  })

  it('believe the forwarded headers of listed addresses alone', () => {
    const isTrusted = trustedAddresses(readSettings({ SVCD_TRUST_PROXY: '10.0.0.0/8, ::1' }))
    expect(['10.1.2.3', '::1', '11.0.0.1', '127.0.0.1'].map(isTrusted)).toEqual([true, true, false, false])
  })
})
