import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonScan } from './json-scan.ts'

function scanned(text: string, wanted: string[], cut = text.length) {
  const scan = new JsonScan(wanted)
  const bytes = Buffer.from(text)
  scan.push(bytes.subarray(0, cut))
  scan.push(bytes.subarray(cut))
  return scan
}

describe('a value', () => {
  test('is found among any other values', () => {
    const text = ' {"a":[1,{"model":"no"}], "b":"\\"model\\":1", "model" : "yes" , "c":{"model":2}}\n'
    expect(scanned(text, ['model']).read('model')).toBe('yes')
  })

  test.each([
    ['{"v":12}', 12],
    ['{"v":-1.5e3 ,"w":1}', -1500],
    ['{"v":null}', null],
    ['{"v":true}', true],
    ['{"v":"a\\"b\\\\"}', 'a"b\\'],
    ['{"v":{"a":[{}]}}', { a: [{}] }],
    ['{"v":[]}', []],
    ['{"\\u0076":1}', 1],
    ['{"w":1}', undefined],
    ['[{"v":1}]', undefined],
    ['{"w":{"v":1}}', undefined],
    ['', undefined],
  ])('of %s is %j, at every split', (text, value) => {
    for (let cut = 0; cut <= text.length; cut++) expect(scanned(text, ['v'], cut).read('v')).toEqual(value)
  })

  test('below another key is found by its path', () => {
    const scan = scanned('{"usage":null,"response":{"id":"x","usage":{"n":1}},"x":{"usage":2}}', [
      'usage',
      'response.usage',
    ])
    expect(scan.read('response.usage')).toEqual({ n: 1 })
    expect(scan.read('usage')).toBe(null)
  })

  test('has its position in the document', () => {
    const text = '{"é":1,"v": {"a":1} }'
    const { start, end } = scanned(text, ['v']).get('v')!
    expect(Buffer.from(text).subarray(start, end).toString()).toBe('{"a":1}')
  })

  test('that is too long is not kept', () => {
    const scan = scanned(JSON.stringify({ v: 'x'.repeat(100_000), w: 1 }), ['v', 'w'])
    expect(scan.read('v')).toBeUndefined()
    expect(scan.get('v')).toBeDefined()
    expect(scan.read('w')).toBe(1)
  })
})

test.each([
  '{"model":"a","model":"b"}',
  '{"model":"a","Model":"b"}',
  '{"MODEL":"b"}',
  '{"model":"a","mod\\u0065l":"b"}',
])('%s is ambiguous', text => {
  expect(scanned(text, ['model']).ambiguous).toBe('model')
})

test('the end of the object is found, and text after it is reported', () => {
  expect(scanned('{"a":{}} \n', ['a'])).toMatchObject({ isObject: true, rootEnd: 7, hasMore: false })
  expect(scanned('{}{"model":1}', ['model']).hasMore).toBe(true)
  expect(scanned('{"a":', ['a']).rootEnd).toBeUndefined()
})

test('for any JSON and any split into chunks, the values are the same as those of a parser', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b', 'c"', 'd\\'), fc.jsonValue()),
      fc.nat(),
      (object, at) => {
        const text = JSON.stringify(object)
        const scan = scanned(text, ['a', 'c"'], at % (Buffer.byteLength(text) + 1))
        expect(scan.rootEnd).toBe(Buffer.byteLength(text) - 1)
        for (const key of ['a', 'c"'])
          expect(JSON.stringify(scan.read(key))).toBe(JSON.stringify(object[key]))
      },
    ),
    { numRuns: 500 },
  )
})

test('any bytes are scanned without an error', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', 'a', '1', ' '), { maxLength: 60 }),
      bytes => {
        scanned(bytes.join(''), ['a', 'a.a'], bytes.length >> 1)
      },
    ),
    { numRuns: 1_000 },
  )
})
