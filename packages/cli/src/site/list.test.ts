import { symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@svc/contract/limits'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory, writeFiles } from '../testing/svc.ts'
import { listSite } from './list.ts'

const paths = (dir: string) => listSite(dir).files.map(file => file.path)

/** Files that have their size without taking up the room. */
function sparse(dir: string, path: string, size: number): void {
  writeFiles(dir, { [path]: '' })
  truncateSync(join(dir, path), size)
}

describe('the files of a site', () => {
  it('are the regular files, sorted by code unit, with / in their paths', () => {
    const dir = temporaryDirectory({
      'b.txt': '',
      'a/z.txt': '',
      'a.txt': 'hello',
      B: '',
      'ä.txt': '',
      'a-b': '',
    })
    expect(paths(dir)).toEqual(['B', 'a-b', 'a.txt', 'a/z.txt', 'b.txt', 'ä.txt'])
    expect(listSite(dir).files[2]).toEqual({ path: 'a.txt', size: 5, executable: false })
  })

  it('leave out .git and node_modules at any depth, and svc.json at the top', () => {
    const dir = temporaryDirectory({
      '.git/HEAD': '',
      'sub/.git': 'gitdir: elsewhere',
      'node_modules/a/index.js': '',
      'deep/node_modules/b.js': '',
      'svc.json': '{}',
      'deep/svc.json': 'kept',
      '.gitignore': 'kept',
      'docs/node_modules': 'a file of that name is kept',
      '.well-known/security.txt': 'kept',
    })
    expect(paths(dir)).toEqual([
      '.gitignore',
      '.well-known/security.txt',
      'deep/svc.json',
      'docs/node_modules',
    ])
  })

  it('are never reached through links, but the site itself may be behind one', () => {
    const outside = temporaryDirectory({ 'secret.txt': '' })
    const dir = temporaryDirectory({ 'index.html': '' })
    symlinkSync(outside, join(dir, 'folder'))
    symlinkSync(join(outside, 'secret.txt'), join(dir, 'file.txt'))
    symlinkSync(dir, join(dir, 'circle'))
    symlinkSync(dir, join(outside, 'site'))
    expect(paths(join(outside, 'site'))).toEqual(['index.html'])
  })

  it('must be some', () => {
    const dir = temporaryDirectory({ 'node_modules/x.js': '', 'svc.json': '{}' })
    expect(() => listSite(dir)).toThrow(`Nothing to deploy: no files found in ${dir}.`)
  })

  it('must be in a directory', () => {
    const dir = temporaryDirectory({ 'a.txt': '' })
    for (const path of [join(dir, 'a.txt'), join(dir, 'none'), join(dir, 'a.txt', 'below')])
      expect(() => listSite(path)).toThrow(`Not a directory: ${path}`)
  })

  it('may each have 25 MB', () => {
    const dir = temporaryDirectory()
    sparse(dir, 'videos/a.mp4', limits.fileBytes)
    expect(paths(dir)).toEqual(['videos/a.mp4'])
    sparse(dir, 'videos/b.mp4', limits.fileBytes + 1)
    expect(() => listSite(dir)).toThrow('File exceeds the 25 MB limit: videos/b.mp4.')
  })

  it('may have 250 MB together', () => {
    const dir = temporaryDirectory()
    for (let i = 0; i < 10; i++) sparse(dir, `${i}.bin`, limits.fileBytes)
    expect(paths(dir)).toHaveLength(10)
    writeFileSync(join(dir, 'one.txt'), '1')
    expect(() => listSite(dir)).toThrow('Site exceeds the 250 MB uncompressed limit.')
  })

  it('may be 10,000', () => {
    const dir = temporaryDirectory()
    for (let i = 0; i < limits.files; i++) writeFileSync(join(dir, `${i}.txt`), '')
    expect(paths(dir)).toHaveLength(limits.files)
    writeFileSync(join(dir, 'one-more.txt'), '')
    expect(() => listSite(dir)).toThrow('Site exceeds the 10,000 file limit.')
    expect(() => listSite(dir)).toThrow(expect.objectContaining({ hint: undefined }))
  })

  it('with too many packages, the error says how to upload fewer', () => {
    const dir = temporaryDirectory({ 'node_modules/a/index.js': '' })
    for (let i = 0; i < limits.files; i++) writeFileSync(join(dir, 'node_modules/a', `${i}.txt`), '')
    expect(() => listSite(dir, { nodeModules: true })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('svc deploy --build') }),
    )
  })
})
