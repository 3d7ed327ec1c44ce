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

test.each(['If-None-Match: "a"', 'If-Modified-Since: then', `Cookie: ${'c'.repeat(3_000)}`])(
  'fields are not kept with a condition, or if they are long: %.30s',
  line => {
    const text = request('GET / HTTP/1.1', ...fields, line)
    expect(after(...fields, line).read(bytes(text))).toBeUndefined()
  },
)
