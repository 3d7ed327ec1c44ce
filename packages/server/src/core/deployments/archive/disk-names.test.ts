import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { program, TestApp } from '../../../testing/apps.ts'
import { makeTar, pax } from '../../../testing/make-tar.ts'
import { onEveryServer } from '../../../testing/server.ts'
import { checkDiskNames } from './disk-names.ts'

const tgz = (files: Record<string, string>) =>
  gzipSync(
    makeTar(Object.entries(files).flatMap(([path, content]) => [pax({ path }), { path: 'x', content }])),
  )

const server = { Procfile: 'web: node app.cjs\n', 'app.cjs': program }
const next = { 'server.js': program, '.next/BUILD_ID': 'x' }
const long = 'n'.repeat(300)

onEveryServer(platform => {
  const upload = async (files: Record<string, string>) => {
    const app = await TestApp.create(platform())
    return { app, answer: await platform().upload(app.token, app.name, tgz(files)) }
  }

  test.each([
    ['a name of 300 bytes', { ...server, [`public/${long}`]: '' }, `public/${'n'.repeat(93)}…`, '300 bytes'],
    ['a directory of 300 bytes', { ...server, [`${long}/x`]: '' }, `${'n'.repeat(100)}…`, '300 bytes'],
    ['a name of 256 bytes in 128 characters', { ...server, ['é'.repeat(128)]: '' }, 'ééé', '256 bytes'],
    ['a file where another needs a directory', { ...server, a: '', 'a/b': '' }, "'a'", "'a/b'"],
    [
      'the same, the other way around',
      { ...server, 'd/e/f': '', 'd/e': '', 'd/e-f': '' },
      "'d/e'",
      "'d/e/f'",
    ],
    ['a file where its framework writes', { ...next, '.next/cache': '' }, "'.next/cache'", 'directory'],
    [
      'a file where Next.js keeps the pages that it renders again',
      { ...next, '.next/server/route-cache': '' },
      "'.next/server/route-cache'",
      'directory',
    ],
  ])('a server app with %s is refused, and the error names it', async (_, files, name, why) => {
    const { app, answer } = await upload(files as Record<string, string>)
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_archive'])
    expect(answer.json.error.message).toContain(name)
    expect(answer.json.error.message).toContain(why)
    expect((await app.detail()).deployments[0]).toMatchObject({
      status: 'failed',
      error: answer.json.error.message,
    })
  })

  test('a static site may have such names, since it is never written to a disk', async () => {
    const { app, answer } = await upload({ 'index.html': 'hi', [long]: 'long', a: 'file', 'a/b': 'below' })
    expect(answer.status).toBe(201)
    expect((await platform().site(app.name, `/${long}`)).text).toBe('long')
    expect((await platform().site(app.name, '/a/b')).text).toBe('below')
  })
})

describe('names that a disk takes', () => {
  test('are those of up to 255 bytes, and names that begin alike', () => {
    const paths = ['n'.repeat(255), 'a', 'a.b', 'a-b/c', 'a0', 'ab/c', 'A', '.next/cache/x']
    expect(() => checkDiskNames(paths, ['.next/cache'])).not.toThrow()
  })

  test('are in so many directories at most', () => {
    const deep = (n: number) => Array.from({ length: n }, (_, i) => `${i}/${'d/'.repeat(400)}x`)
    expect(() => checkDiskNames(deep(49), [])).not.toThrow()
    expect(() => checkDiskNames(deep(50), [])).toThrow('at most 20,000 directories')
  })
})
