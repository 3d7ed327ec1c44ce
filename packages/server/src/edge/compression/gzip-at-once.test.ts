import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { gzipAtOnce, longestAtOnce } from './gzip-at-once.ts'

const text = Buffer.from('<p>Some words of a page.</p>\n'.repeat(500))

it.each([
  ['nothing', Buffer.alloc(0)],
  ['a page', text],
  ['the longest body', Buffer.alloc(longestAtOnce, 'x')],
  ['the longest body, of bytes that do not compress', randomBytes(longestAtOnce)],
])('compresses %s, whatever it has compressed before', (_, body) => {
  for (let i = 0; i < 3; i++) {
    expect(gunzipSync(gzipAtOnce(body)).equals(body)).toBe(true)
    expect(gunzipSync(gzipAtOnce(text)).equals(text)).toBe(true)
  }
})

it('compresses in a version of Node that does not have the internals', async () => {
  const program = `
    import { createRequire, syncBuiltinESMExports } from 'node:module'
    const zlib = createRequire(import.meta.url)('node:zlib')
    Object.defineProperty(zlib, 'createGzip', { value: () => ({ _handle: {} }) })
    syncBuiltinESMExports()
    const { gzipAtOnce } = await import(${JSON.stringify(new URL('./gzip-at-once.js', import.meta.url).href)})
    console.log(zlib.gunzipSync(gzipAtOnce(Buffer.from('hello'))).toString())`
  const flags = ['--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname })
  expect(stdout).toBe('hello\n')
})
