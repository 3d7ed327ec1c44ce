import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readSettings, SettingError } from '../config.ts'

function configFile(text: string): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-config-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const file = path.join(dir, 'svcd.env')
  writeFileSync(file, text)
  return file
}

describe('a name that is not a setting', () => {
  it.each([
    ['SVCD_PROT', 'SVCD_PORT'],
    ['SVCD_DATADIR', 'SVCD_DATA_DIR'],
    ['SVCD_DATABASE', 'SVCD_DATABASE_URL'],
    ['SVCD_PLATFORM_DOMIAN', 'SVCD_PLATFORM_DOMAIN'],
    ['SVCD_DOMAIN', 'SVCD_PLATFORM_DOMAIN'],
    ['SVCD_DOMIAN', 'SVCD_PLATFORM_DOMAIN'],
    ['SVCD_SECRET_KEY_OLD', 'SVCD_SECRET_KEYS_OLD'],
    ['SVCD_CONFIG_', 'SVCD_CONFIG'],
    ['SVCD_port', 'SVCD_PORT'],
  ])('%s stops the start, and %s is named as the nearest', (wrong, right) => {
    const read = () => readSettings({ [wrong]: '1' })
    expect(read).toThrow(SettingError)
    expect(read).toThrow(`${wrong} is not a setting. Did you mean ${right}?`)
  })

  it('stops the start where no setting is near, too', () => {
    expect(() => readSettings({ SVCD_SERVICE_HOST: '10.0.0.1' })).toThrow(
      "SVCD_SERVICE_HOST is not a setting. Remove it; 'svcd config' lists all settings.",
    )
  })

  it('is found in the file of SVCD_CONFIG, with or without the prefix', () => {
    for (const name of ['SVCD_PROT', 'PORT']) {
      const file = configFile(`SVCD_HOST=::1\n${name}=1\n`)
      expect(() => readSettings({ SVCD_CONFIG: file })).toThrow(
        `${name} in ${file} is not a setting. Did you mean SVCD_PORT?`,
      )
    }
  })

  it('may be in the environment if it has another prefix', () => {
    expect(readSettings({ SVC_TOKEN: 'x', PORT: '1', svcd_port: '2' }).port).toBe(8080)
  })
})

describe('the file of SVCD_CONFIG', () => {
  it('has comments, quotes and values of several lines', () => {
    const file = configFile(
      '# comment\n\nSVCD_FORGE=builtin # or github\nSVCD_SELLER_NAME="Acme \\"B.V.\\""\nSVCD_AI_KEY=\'a\nb\'\n',
    )
    const settings = readSettings({ SVCD_CONFIG: file })
    expect(settings).toMatchObject({ forge: ['builtin'], sellerName: 'Acme "B.V."' })
    expect(settings.aiKey?.reveal()).toBe('a\nb')
  })

  it.each([
    ['SVCD_HOST=::1\nnonsense\n', 'SVCD_CONFIG line 2: is not KEY=value'],
    ['SVCD_HOST="never closed\n', 'SVCD_CONFIG line 1: the " is never closed'],
    ['SVCD_CONFIG=/etc/other.env\n', /^SVCD_CONFIG names .*, which may not name another file/],
  ])('is refused: %j', (text, words) => {
    expect(() => readSettings({ SVCD_CONFIG: configFile(text) })).toThrow(words)
  })
})
