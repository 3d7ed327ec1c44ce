import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { openPrivateDirectory } from './private-directory.ts'

let dir: string
let told: string[]

beforeEach(() => {
  const parent = mkdtempSync(path.join(tmpdir(), 'svc-private-'))
  onTestFinished(() => rmSync(parent, { recursive: true }))
  dir = path.join(parent, 'data')
  told = []
})

const open = () => openPrivateDirectory(dir, line => told.push(line))
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)

it('svcd makes a directory that is closed to other users', () => {
  open()
  open()
  expect([modeOf(dir), told]).toEqual(['700', []])
})

it('svcd closes an empty directory, as systemd makes one, and says so', () => {
  mkdirSync(dir)
  chmodSync(dir, 0o755)
  open()
  expect(modeOf(dir)).toBe('700')
  expect(told).toEqual([`${dir} was open to other users (mode 755). It is closed now (mode 700).`])
})

it('svcd closes the directory of an earlier start, with what lies in it', () => {
  mkdirSync(path.join(dir, 'packs'), { recursive: true })
  for (const name of ['node-id', 'svc.db']) writeFileSync(path.join(dir, name), '')
  symlinkSync('/etc/hostname', path.join(dir, 'elsewhere'))
  const elsewhere = statSync('/etc/hostname').mode
  for (const [name, mode] of [
    ['', 0o770],
    ['svc.db', 0o644],
    ['packs', 0o755],
  ] as const)
    chmodSync(path.join(dir, name), mode)
  open()
  expect(['', 'svc.db', 'packs'].map(name => modeOf(path.join(dir, name)))).toEqual(['700', '600', '700'])
  expect(statSync('/etc/hostname').mode).toBe(elsewhere)
})

it('svcd refuses an open directory with files of others, and leaves it as it is', () => {
  mkdirSync(dir)
  writeFileSync(path.join(dir, 'mine.txt'), '')
  chmodSync(dir, 0o755)
  expect(open).toThrow(`chmod 700 ${dir}`)
  expect(modeOf(dir)).toBe('755')
})
