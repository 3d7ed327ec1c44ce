// What `svcd config` prints is read back as the same settings, whatever they are.
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { printSettings, readSettings, type Settings } from '../config.ts'
import { Secret } from '../lib/secret.ts'
import { limitSettings } from './limits.ts'
import { rows } from './table.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'svc-round-trip-'))
afterAll(() => rmSync(dir, { recursive: true }))

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()

const line = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(...'"\'`#\\$= \u2028n'),
      fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
    ),
  })
  .filter(text => !/[\p{Cc}\p{Cs}]/u.test(text))
const key = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map(bytes => Buffer.from(bytes).toString('base64'))
const listOf = (entry: fc.Arbitrary<string>) =>
  fc.array(entry, { maxLength: 3 }).map(entries => entries.join(', '))

/** Values by what a kind says that it accepts. Choices and numbers are read from these words. */
const byKind: Record<string, fc.Arbitrary<string>> = {
  text: line,
  'a file': line,
  'a directory': line,
  'a name': fc.constantFrom('svc-apps', 'a'),
  'a secret': line,
  'a URL': fc.webUrl().filter(url => !/[?#]/.test(url)),
  'an email address, or `name <address>`': fc.constantFrom(
    'a@b.example',
    'svc <a@b>',
    '"A, \\"B\\" #1" <a@b>',
  ),
  'a domain name': fc.constantFrom('localhost', 'Example.com', 'svc.localhost'),
  '`<host>:<port>`': fc.constantFrom('10.0.0.2:7946', '[fd00::2]:7946', 'node-1:7946'),
  'a Dutch VAT number': fc.constantFrom('NL123456789B01', 'nl 1234.56789 b01'),
  '`auto`, or 0–256': fc.oneof(fc.constant('auto'), fc.nat(256).map(String)),
  'at least 12 characters': fc.constantFrom('correct horse', 'a passphrase # with = "signs"'),
  'numbers of hours, days, weeks and months, such as `7d,4w,6m`': fc.constantFrom(
    '7d,4w,6m',
    '3d',
    '1m, 2w,24h',
  ),
  '32 bytes in base64': key,
  'keys with commas between': listOf(key),
  'images with commas between': listOf(fc.constantFrom('node:20-slim', '24=registry.example:5000/node:lts')),
  'addresses with commas between': listOf(fc.ipV4()),
  '`off`, or addresses and networks with commas between': fc.oneof(
    fc.constant('off'),
    listOf(
      fc.oneof(
        fc.ipV6(),
        fc.ipV4().map(ip => `${ip}/8`),
      ),
    ),
  ),
  '`unix:///…`, `tcp://host:port`': fc.constantFrom('unix:///run/a b.sock', 'tcp://127.0.0.1:2375'),
  '`postgres://…`, `postgresql://…`': fc.constant('postgres://svc:pass@db/svc'),
  'an email address or a URL': fc.constantFrom('abuse@example.com', 'https://example.com/abuse'),
  '`s3://…`': fc.constant('s3://key:secret@bucket'),
  '`smtp://…`, `smtps://…`': fc.constant('smtp://mail.example'),
}

const byName: Record<string, fc.Arbitrary<string>> = {
  // Either this or the passphrase is set.
  SVCD_BACKUP_RECIPIENT: fc.constant(''),
  // A folder must not be in the data directory, nor a bucket that of the deployments.
  SVCD_BACKUP_URL: fc.constant('s3://key:secret@backups'),
  SVCD_GITHUB_APP_ID: fc.constant('123'),
  SVCD_GITHUB_APP_SLUG: fc.constant('my-svc'),
  SVCD_GITHUB_PRIVATE_KEY: fc.constant(pem),
  // Of this and the key itself, only one may be set.
  SVCD_GITHUB_PRIVATE_KEY_FILE: fc.constant(''),
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB']
const bytesOf = (words: string): number => {
  const [count, unit = 'bytes'] = words.split(' ')
  return Number(count) * 1024 ** units.indexOf(unit)
}

function valuesOf(variable: string, accepts: string): fc.Arbitrary<string> {
  const [, min, max] = /^(\d+)–(\d+)$/.exec(accepts) ?? []
  const known = byName[variable] ?? byKind[accepts]
  if (known) return known
  if (max) return fc.integer({ min: Number(min), max: Number(max) }).map(String)
  if (accepts.endsWith(', in bytes')) {
    const [least, most] = accepts.replace(', in bytes', '').split('–').map(bytesOf)
    return fc.maxSafeNat().map(count => String(least! + (count % (most! - least!))))
  }
  return fc.constantFrom(...accepts.split(', ').map(choice => choice.slice(1, -1)))
}

/** Settings that must be set together. */
const together = [
  { SVCD_TLS_CERT: '/cert', SVCD_TLS_KEY: '/key', SVCD_TLS_PORT: '443' },
  { SVCD_ACME_EAB_KEY_ID: 'a', SVCD_ACME_EAB_KEY: 'a' },
  { SVCD_BACKUP_URL: 's3://key:secret@backups', SVCD_BACKUP_PASSPHRASE: 'correct horse' },
  { SVCD_S3_ACCESS_KEY_ID: 'key', SVCD_S3_SECRET_ACCESS_KEY: 'secret' },
  {
    ...{
      SVCD_FORGE: 'github',
      SVCD_GITHUB_APP_ID: '1',
      SVCD_GITHUB_APP_SLUG: 'a',
      SVCD_GITHUB_CLIENT_ID: 'a',
    },
    ...{ SVCD_GITHUB_PRIVATE_KEY: pem, SVCD_GITHUB_WEBHOOK_SECRET: 'a' },
  },
  {
    ...{ SVCD_BILLING: 'stripe', SVCD_STRIPE_SECRET_KEY: 'a', SVCD_STRIPE_WEBHOOK_SECRET: 'a' },
    ...{ SVCD_SELLER_NAME: 'a', SVCD_SELLER_ADDRESS: 'a', SVCD_SELLER_VAT_NUMBER: 'NL123456789B01' },
  },
]

function complete(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  const isSet = (name: string) => Boolean(environment[name]?.trim())
  for (const group of together)
    if (Object.keys(group).some(isSet))
      for (const [name, value] of Object.entries(group)) if (!isSet(name)) environment[name] = value
  // Refused with plans.
  if (environment.SVCD_BILLING !== 'off')
    for (const { variable } of Object.values(limitSettings)) delete environment[variable]
  return environment
}

const environments = fc
  .record(
    Object.fromEntries(rows.map(([, { variable, kind }]) => [variable, valuesOf(variable, kind.accepts)])),
    { requiredKeys: [] },
  )
  .map(complete)

const revealed = (settings: Settings) =>
  JSON.parse(
    JSON.stringify(settings, function (name, value) {
      const raw = this[name]
      return raw instanceof Secret ? { secret: raw.reveal() } : value
    }),
  )

test('the settings that svcd config prints are read back as they were', () => {
  const secrets = rows.filter(([, { kind }]) => kind.isSecret).map(([, { variable }]) => variable)
  fc.assert(
    fc.property(environments, environment => {
      const settings = readSettings(environment)
      const file = path.join(dir, 'svcd.env')
      writeFileSync(file, printSettings(settings))
      const withSecrets = Object.fromEntries(
        Object.entries(environment).filter(([name]) => secrets.includes(name)),
      )
      const again = readSettings({ ...withSecrets, SVCD_CONFIG: file })
      expect(revealed(again)).toEqual(revealed(settings))
    }),
  )
})
