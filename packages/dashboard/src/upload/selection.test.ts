import { limits } from '@svc/contract/limits'
import { describe, expect, it } from 'vitest'
import { Refusal, type SiteFile, selectFiles, siteFile, stripFolder } from './selection.ts'

const at = (path: string, size = 1): SiteFile => siteFile(path, { size } as File)
const paths = (files: SiteFile[]) => files.map(({ path }) => path)
const refusal = (files: SiteFile[], folder = '') => {
  try {
    selectFiles(files, folder)
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
  return undefined
}

describe('the files of a site', () => {
  it('leave out .git and node_modules at any depth, and svc.json at the top alone', () => {
    const chosen = [
      '.git/config',
      'a/.git/config',
      'sub/.git',
      'node_modules/x.js',
      'a/node_modules/y.js',
      'svc.json',
    ]
    const kept = ['a/svc.json', 'gitignore', '.gitignore', 'docs/node_modules', 'index.html']
    expect(
      paths(
        selectFiles(
          [...chosen, ...kept].map(path => at(path)),
          '',
        ),
      ),
    ).toEqual(kept.sort())
  })

  it('are sorted by code unit', () => {
    const files = ['b', 'a/z', 'B', 'é', 'a.txt'].map(path => at(path))
    expect(paths(selectFiles(files, ''))).toEqual(['B', 'a.txt', 'a/z', 'b', 'é'])
  })

  it('are refused where there are none, naming the folder', () => {
    expect(refusal([at('.git/HEAD')], 'dist')).toBe('Nothing to deploy: no files found in dist.')
    expect(refusal([])).toBe('Nothing to deploy: no files found in the selection.')
  })

  it('are refused over a limit, and taken at it', () => {
    expect(refusal([at('ok.bin', limits.fileBytes)])).toBeUndefined()
    expect(refusal([at('big.bin', limits.fileBytes + 1)])).toBe('File exceeds the 25 MB limit: big.bin.')
    const ten = Array.from({ length: 10 }, (_, i) => at(`${i}`, limits.fileBytes))
    expect(refusal(ten)).toBeUndefined()
    expect(refusal([...ten, at('one-more')])).toBe('Site exceeds the 250 MB uncompressed limit.')
    const many = Array.from({ length: limits.files }, (_, i) => at(`${i}`))
    expect(refusal(many)).toBeUndefined()
    expect(refusal([...many, at('one-more')])).toBe('Site exceeds the 10,000 file limit.')
  })
})

describe('a chosen folder', () => {
  it('gives its name away, since it is the site', () => {
    const { folder, files } = stripFolder([at('dist/index.html'), at('dist/a/b.css')])
    expect([folder, paths(files)]).toEqual(['dist', ['index.html', 'a/b.css']])
  })

  it('is not made up from files that share no folder', () => {
    expect(stripFolder([at('index.html')])).toMatchObject({ folder: '', files: [{ path: 'index.html' }] })
    expect(paths(stripFolder([at('a/x'), at('b/y')]).files)).toEqual(['a/x', 'b/y'])
    expect(stripFolder([])).toEqual({ folder: '', files: [] })
  })
})
