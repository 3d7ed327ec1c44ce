import { copyFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { Authority, type MadeCertificate } from '../../testing/authority.ts'
import { CertificateFiles } from './certificate-files.ts'

let authority: Authority
let one: MadeCertificate
let two: MadeCertificate
beforeAll(async () => {
  authority = await Authority.make()
  one = await authority.certificate('one.example')
  two = await authority.certificate('two.example')
})
afterAll(() => authority?.remove())

function open(cert: string, key: string, onError: (error: unknown) => void = () => undefined) {
  const files = new CertificateFiles({ cert, key }, onError)
  onTestFinished(() => files.close())
  return files
}

it('svcd names the setting that is wrong, and the file', () => {
  const { certFile: cert, keyFile: key } = one
  expect(() => open('/nowhere.pem', key)).toThrow(/^SVCD_TLS_CERT \/nowhere.pem cannot be read: ENOENT/)
  expect(() => open(cert, '/nowhere.key')).toThrow(/^SVCD_TLS_KEY \/nowhere.key cannot be read: ENOENT/)
  expect(() => open(key, key)).toThrow(`SVCD_TLS_CERT ${key} holds no certificate (PEM)`)
  expect(() => open(cert, cert)).toThrow(`SVCD_TLS_KEY ${cert} holds no private key (PEM, not encrypted)`)
  expect(() => open(cert, two.keyFile)).toThrow(`SVCD_TLS_KEY ${two.keyFile} is not the key of ${cert}`)
})

it('svcd complains of files that broke once, and takes them when they are whole again', async () => {
  const [cert, key] = ['live.pem', 'live.key'].map(name => path.join(authority.dir, name)) as [string, string]
  await copyFile(one.certFile, cert)
  await copyFile(one.keyFile, key)
  const complaints: string[] = []
  const files = open(cert, key, error => complaints.push((error as Error).message))
  await writeFile(cert, two.cert)
  for (const _ of [1, 2, 3]) files.reloadIfChanged()
  expect(complaints).toEqual([`SVCD_TLS_KEY ${key} is not the key of ${cert}`])
  expect(files.current.covers('one.example')).toBe(true)
  await writeFile(key, two.key)
  files.reloadIfChanged()
  expect(files.current.covers('two.example')).toBe(true)
  expect(complaints).toHaveLength(1)
})
