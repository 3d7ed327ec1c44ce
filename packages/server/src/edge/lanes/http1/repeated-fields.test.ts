import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { type Head, readHead } from './head.ts'
import { RepeatedFields } from './repeated-fields.ts'

const fields = ['Host: shop.example.test', 'User-Agent: T', 'Accept-Encoding: gzip', 'Accept: image/webp']
const request = (line: string, ...lines: string[]) => [line, ...lines, '', ''].join('\r\n')
const read = (text: string) => readHead(text, 0)
const bytes = (text: string) => Buffer.from(text, 'latin1')

/** Knows the fields of a request with these lines. */
function after(...lines: string[]): RepeatedFields {
  const repeated = new RepeatedFields()
  repeated.keep(read(request('GET /first HTTP/1.1', ...lines)) as Head)
  return repeated
}

test.each(['GET / HTTP/1.1', 'HEAD /a/b.css?c HTTP/1.1', 'GET /a"b HTTP/1.1'])(
  'of a request with the fields of an earlier one, only the line is read: %s',
  line => {
    const text = request(line, ...fields)
    const loggedFields = 'User-Agent: T\r\n'
    expect(after(...fields).read(bytes(text))).toEqual({ ...(read(text) as Head), loggedFields })
  },
)

test.each([
  ['other fields', request('GET / HTTP/1.1', ...fields.slice(1), fields[0]!)],
  ['a field less', request('GET / HTTP/1.1', ...fields.slice(1))],
  ['a field more before', request('GET / HTTP/1.1', 'Range: bytes=0-1', ...fields)],
  ['a field more behind', request('GET / HTTP/1.1', ...fields, 'Range: bytes=0-1')],
  ['a field that ends like a kept one', request('GET / HTTP/1.1', `X-${fields[0]}`, ...fields.slice(1))],
  ['another method', request('POST / HTTP/1.1', ...fields)],
  ['another version', request('GET / HTTP/1.0', ...fields)],
  ['a fragment', request('GET /#a HTTP/1.1', ...fields)],
  ['a whole URL', request('GET http://shop.example.test/ HTTP/1.1', ...fields)],
  ['a byte above ASCII in the path', request('GET /\xff HTTP/1.1', ...fields)],
  ['a bare line feed', request('GET / HTTP/1.1', ...fields).replace('1.1\r\n', '1.1\n')],
  ['an empty line before', `\r\n${request('GET / HTTP/1.1', ...fields)}`],
  ['no line', request('', ...fields).slice(2)],
  ['a part of a head', request('GET / HTTP/1.1', ...fields).slice(0, -1)],
  ['two requests', request('GET / HTTP/1.1', ...fields).repeat(2)],
  ['nothing', ''],
])('a chunk with %s is not taken for a repeated request', (_, text) => {
  expect(after(...fields).read(bytes(text))).toBeUndefined()
})

test('fields are not kept if they are long', () => {
  const line = `Cookie: ${'c'.repeat(3_000)}`
  const text = request('GET / HTTP/1.1', ...fields, line)
  expect(after(...fields, line).read(bytes(text))).toBeUndefined()
})

test('a date in If-Modified-Since belongs to the kept fields', () => {
  const since = 'If-Modified-Since: Mon, 16 Nov 2026 12:00:00 GMT'
  const text = request('GET /b HTTP/1.1', ...fields, since)
  const loggedFields = 'User-Agent: T\r\n'
  expect(after(...fields, since).read(bytes(text))).toEqual({ ...(read(text) as Head), loggedFields })
  expect(after(...fields, since).read(bytes(text.replace('12:', '13:')))).toBeUndefined()
})

const withTag = (tag: string, name = 'If-None-Match: ') => [
  ...fields.slice(0, 2),
  `${name}${tag}`,
  ...fields.slice(2),
]

test.each(['"a"', '"another-gzip"', 'W/"b"', '*', '', '"a","b"', '"\xe4"'])(
  'a request with the same fields may have another ETag: %s',
  tag => {
    const text = request('GET /b?c HTTP/1.1', ...withTag(tag))
    const loggedFields = 'User-Agent: T\r\n'
    const expected = { ...(read(text) as Head), loggedFields }
    expect(after(...withTag('"a"')).read(bytes(text))).toEqual(expected)
  },
)

test('fields with and without an ETag are kept side by side', () => {
  const repeated = after(...fields)
  repeated.keep(read(request('GET / HTTP/1.1', ...withTag('"a"'))) as Head)
  expect(repeated.read(bytes(request('GET / HTTP/1.1', ...fields)))?.ifNoneMatch).toBeUndefined()
  expect(repeated.read(bytes(request('GET / HTTP/1.1', ...withTag('"b"'))))?.ifNoneMatch).toBe('"b"')
})

test('the fields of six kinds of files are kept side by side, and of more kinds the latest ones', () => {
  const repeated = new RepeatedFields()
  const kinds = Array.from({ length: 7 }, (_, kind) => [...fields, `Sec-Fetch-Dest: kind-${kind}`])
  for (const kind of kinds) repeated.keep(read(request('GET / HTTP/1.1', ...kind)) as Head)
  for (const kind of kinds)
    repeated.keep(read(request('GET / HTTP/1.1', 'If-None-Match: "a"', ...kind)) as Head)
  const isKnown = (...lines: string[]) =>
    repeated.read(bytes(request('GET /b HTTP/1.1', ...lines))) !== undefined
  const known = [false, true, true, true, true, true, true]
  expect(kinds.map(kind => isKnown(...kind))).toEqual(known)
  expect(kinds.map(kind => isKnown('If-None-Match: "b"', ...kind))).toEqual(known)
})

test.each([
  ['two lines in place of an ETag', request('GET / HTTP/1.1', ...withTag('"a"\r\nRange: bytes=0-1'))],
  ['a bare line feed in an ETag', request('GET / HTTP/1.1', ...withTag('"a"\nRange: bytes=0-1'))],
  ['a bare carriage return in an ETag', request('GET / HTTP/1.1', ...withTag('"a"\r"b"'))],
  ['a NUL in an ETag', request('GET / HTTP/1.1', ...withTag('"a\0"'))],
  ['blanks after an ETag', request('GET / HTTP/1.1', ...withTag('"a" '))],
  ['a list of ETags with blanks', request('GET / HTTP/1.1', ...withTag('"a", "b"'))],
  ['the name of the field in other letters', request('GET / HTTP/1.1', ...withTag('"a"', 'if-none-match: '))],
  ['no If-None-Match', request('GET / HTTP/1.1', ...fields)],
  ['the end of a line cut off', request('GET / HTTP/1.1', ...fields.slice(0, 2), 'If-None-Match: ')],
  ['a second request', request('GET / HTTP/1.1', ...withTag('"a"')).repeat(2)],
  ['another method', request('POST / HTTP/1.1', ...withTag('"a"'))],
  ['a field before', request('GET / HTTP/1.1', 'Range: bytes=0-1', ...withTag('"a"'))],
  ['no line feed', 'GET / HTTP/1.1'],
])('a chunk with %s is not taken for a request with another ETag', (_, text) => {
  expect(after(...withTag('"a"')).read(bytes(text))).toBeUndefined()
})

test('If-None-Match is found only at the start of a line', () => {
  const fake = 'Cookie: if-none-match: x'
  const text = request('GET / HTTP/1.1', fake, ...withTag('"b"'))
  expect(after(fake, ...withTag('"a"')).read(bytes(text))).toMatchObject({ ifNoneMatch: '"b"' })
})

test('kept fields do not hold the chunk that they came with in memory', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const line = request('GET / HTTP/1.1', ...fields, 'If-Modified-Since: Sat, 31 Jan 2026 12:30:15 GMT')
  const before = 'x'.repeat(60_000)
  const kept: RepeatedFields[] = []
  collectGarbage()
  const used = process.memoryUsage().heapUsed
  for (let count = 0; count < 500; count++) {
    const head = readHead(bytes(before + line).toString('latin1'), before.length) as Head
    head.appFields = head.fields.slice(25)
    const repeated = new RepeatedFields()
    repeated.keep(head)
    kept.push(repeated)
  }
  collectGarbage()
  expect((process.memoryUsage().heapUsed - used) / kept.length).toBeLessThan(before.length / 4)
})
