import { describe, expect, test } from 'vitest'
import { longestHead, readHead } from './head.ts'

const request = (line: string, ...fields: string[]) => [line, ...fields, '', ''].join('\r\n')
const get = (path: string, ...fields: string[]) =>
  request(`GET ${path} HTTP/1.1`, 'Host: shop.example.test', ...fields)

test('a head is read with all that its answer depends on', () => {
  const text = get(
    '/a?b',
    'Connection: keep-alive',
    'User-Agent: x',
    'Accept-Encoding:\tgzip, br ',
    'If-None-Match: "a"',
    'If-Modified-Since: then',
    'Cookie: a=b; c=\xe4',
  )
  expect(readHead(text, 0)).toEqual({
    method: 'GET',
    target: '/a?b',
    host: 'shop.example.test',
    acceptEncoding: 'gzip, br',
    ifNoneMatch: '"a"',
    ifModifiedSince: 'then',
    fields: text.slice(text.indexOf('Host'), -2),
    loggedFields: undefined,
    isPlain: true,
    isPassable: true,
    length: text.length,
    bodyBytes: 0,
  })
})

test('heads are read one after the other', () => {
  const [one, two] = [get('/one'), get('/two', 'Cookie: a')]
  expect(readHead(one + two, 0)).toMatchObject({ target: '/one', length: one.length })
  expect(readHead(one + two, one.length)).toMatchObject({ target: '/two', length: two.length })
})

test('only spaces and tabs around a value are cut off', () => {
  expect(readHead(get('/', 'If-None-Match: \t \xa0x\xa0\t '), 0)).toMatchObject({ ifNoneMatch: '\xa0x\xa0' })
})

describe('is left to node:http, after which the connection comes back:', () => {
  test.each([
    ['another method', get('/').replace('GET', 'DELETE'), 0],
    ['a body', get('/', 'Content-Length: 3'), 3],
    ['an empty body', get('/', 'Content-Length: 0'), 0],
    ['Connection: close', get('/', 'Connection: close'), 0],
    ['a range', get('/', 'RANGE: bytes=0-1'), 0],
    ['two Accept-Encodings', get('/', 'Accept-Encoding: br', 'Accept-Encoding: gzip'), 0],
    ['two If-None-Match', get('/', 'If-None-Match: "a"', 'If-None-Match: "b"'), 0],
    ['no Host', request('GET / HTTP/1.1', 'Accept: */*'), 0],
    ['an empty Host', request('GET / HTTP/1.1', 'Host:'), 0],
  ])('%s', (_, text, bodyBytes) => {
    expect(readHead(text, 0)).toMatchObject({ isPlain: false, length: text.length, bodyBytes })
  })
})

test.each([
  ['5', true],
  ['05', false],
  ['00', false],
])('a request with the length %s goes to apps through the lane: %s', (length, isPassable) => {
  const text = request('POST / HTTP/1.1', 'Host: shop.example.test', `Content-Length: ${length}`)
  expect(readHead(text, 0)).toMatchObject({ isPassable, bodyBytes: Number(length), length: text.length })
})

describe('makes the connection node:http’s for good:', () => {
  test.each([
    ['another version', get('/').replace('1.1', '1.0')],
    ['a method in lower case', get('/').replace('GET', 'get')],
    ['CONNECT', get('/').replace('GET', 'CONNECT')],
    ['an absolute target', get('http://shop.example.test/')],
    ['a fragment', get('/#a')],
    ['a space in its target', get('/a b')],
    ['raw bytes in its target', get('/\xff')],
    ['two Hosts', get('/', 'host: other.example.test')],
    ['an upgrade', get('/', 'Connection: Upgrade', 'Upgrade: websocket')],
    ['a chunked body', get('/', 'Transfer-Encoding: chunked')],
    ['two lengths', get('/', 'Content-Length: 1', 'Content-Length: 1')],
    ['a length with a sign', get('/', 'Content-Length: +1')],
    ['a list of lengths', get('/', 'Content-Length: 1, 1')],
    ['a length beyond all bounds', get('/', `Content-Length: ${'9'.repeat(16)}`)],
    ['a space before a colon', get('/', 'Transfer-Encoding : chunked')],
    ['a folded field', get('/', 'X: a', ' Transfer-Encoding: chunked')],
    ['a bare line feed', get('/', 'X: a\nTransfer-Encoding: chunked')],
    ['a bare carriage return', get('/', 'X: a\rTransfer-Encoding: chunked')],
    ['NUL', get('/', 'X: \0')],
    ['a field without a name', get('/', ': x')],
    ['a field without a colon', get('/', 'x')],
    ['an expectation', get('/', 'Expect: 100-continue')],
    ['no fields', 'GET / HTTP/1.1\r\n\r\n'],
    ['a line before it', `\r\n${get('/')}`],
    ['too many bytes', get('/', `X: ${'x'.repeat(longestHead)}`)],
    ['too many bytes without an end', get('/', `X: ${'x'.repeat(longestHead)}`).slice(0, -2)],
  ])('%s', (_, text) => {
    expect(readHead(text, 0)).toBe('unclear')
  })

  test.each(['Transfer-Encoding', 'Expect', 'Upgrade', 'HTTP2-Settings', 'Proxy-Connection'])(
    '%s, however it is written',
    name => {
      for (const written of [name, name.toLowerCase(), name.toUpperCase()])
        expect(readHead(get('/', 'Accept: */*', `${written}: x`, 'Cookie: a'), 0)).toBe('unclear')
    },
  )
})

test('a head is incomplete until its last byte', () => {
  const text = get('/', 'Accept: */*')
  for (let end = 0; end < text.length; end++) expect(readHead(text.slice(0, end), 0)).toBe('incomplete')
})

test('a head may be as long as the server allows', () => {
  const text = get('/')
  expect(readHead(text, 0, text.length)).toMatchObject({ length: text.length })
  expect(readHead(text, 0, text.length - 1)).toBe('unclear')
})
