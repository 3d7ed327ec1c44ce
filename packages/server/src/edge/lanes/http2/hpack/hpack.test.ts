import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Decoder } from './decoder.ts'
import { encodeField, encodeLiterally, encodeStatus } from './encoder.ts'
import { makeField } from './field.ts'
import { decodeHuffman, encodeHuffman } from './huffman.ts'
import { staticTable } from './static-table.ts'

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const textOf = (fields: ReturnType<Decoder['decode']>) =>
  fields?.map(({ name, value }) => `${name}: ${value}`)

const requests = [
  [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'],
  [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com', 'cache-control: no-cache'],
  [
    ':method: GET',
    ':scheme: https',
    ':path: /index.html',
    ':authority: www.example.com',
    'custom-key: custom-value',
  ],
]
const at = (second: number) => `Mon, 21 Oct 2013 20:13:${second} GMT`
const location = 'location: https://www.example.com'
const cookie = 'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'
const answers = [
  [':status: 302', 'cache-control: private', `date: ${at(21)}`, location],
  [':status: 307', 'cache-control: private', `date: ${at(21)}`, location],
  [':status: 200', 'cache-control: private', `date: ${at(22)}`, location, 'content-encoding: gzip', cookie],
]

/** Appendix C of RFC 7541: blocks of one connection, in turn. C.5 and C.6 have a table of 256 bytes. */
const toSmallTable = '3f e1 01'
const vectors: [name: string, blocks: string[], meanings: string[][]][] = [
  [
    'C.2.1, a literal with indexing',
    ['400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572'],
    [['custom-key: custom-header']],
  ],
  ['C.2.2, a literal without indexing', ['040c 2f73 616d 706c 652f 7061 7468'], [[':path: /sample/path']]],
  ['C.2.3, a literal never indexed', ['1008 7061 7373 776f 7264 0673 6563 7265 74'], [['password: secret']]],
  ['C.2.4, an indexed field', ['82'], [[':method: GET']]],
  [
    'C.3, requests without Huffman coding',
    [
      '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
      '8286 84be 5808 6e6f 2d63 6163 6865',
      '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
    ],
    requests,
  ],
  [
    'C.4, requests with Huffman coding',
    [
      '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
      '8286 84be 5886 a8eb 1064 9cbf',
      '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
    ],
    requests,
  ],
  [
    'C.5, answers without Huffman coding, with evictions',
    [
      `${toSmallTable} 4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a
       3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
      '4803 3330 37c1 c0bf',
      `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738
       666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33
       3630 303b 2076 6572 7369 6f6e 3d31`,
    ],
    answers,
  ],
  [
    'C.6, answers with Huffman coding, with evictions',
    [
      `${toSmallTable} 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e
       919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`,
      '4883 640e ffc1 c0bf',
      `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7
       b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
    ],
    answers,
  ],
]

describe('the decoder reads the examples of RFC 7541', () => {
  it.each(vectors)('%s', (_, blocks, meanings) => {
    const decoder = new Decoder()
    const read = blocks.map(block => textOf(decoder.decode(bytes(block.replaceAll('\n', '')))))
    expect(read).toEqual(meanings)
  })

  it('and knows which field no table may hold', () => {
    expect(new Decoder().decode(bytes(vectors[2]![1][0]!))).toEqual([makeField('password', 'secret', true)])
  })
})

describe('the decoder refuses', () => {
  it.each([
    ['index 0', '80'],
    ['an index beyond the static table while the dynamic one is empty', 'be'],
    ['an index beyond 32 bits', 'ffffffffffffff7f'],
    ['a number that goes on for ever', 'ff80808080808000'],
    ['a number that is cut off', 'ff80'],
    ['a name that is cut off', '400a63'],
    ['a value that is cut off', '0001610562'],
    ['a field without a value', '000161'],
    ['a table larger than 4,096 bytes', '3fe21f'],
    ['a new size of the table behind a field', '8220'],
    ['a Huffman string with eight bits of padding', '000161821fff'],
    ['a Huffman string that is padded with zeros', '0001618118'],
    ['the end of a string inside a Huffman string', '00016184ffffffff'],
    ['a string longer than 64 KB', '0001617fa2ff03'],
  ])('%s', (_, block) => {
    expect(new Decoder().decode(bytes(block))).toBeUndefined()
  })
})

describe('the dynamic table', () => {
  const put = (value: string) => Buffer.concat([Buffer.from([0x40, 1, 0x61]), literal(value)])
  const literal = (value: string) => encodeField(':path', value).subarray(1)
  const newest = Buffer.from([0xbe])

  it('is emptied by a size of 0, and can grow again', () => {
    const decoder = new Decoder()
    decoder.decode(put('one'))
    expect(textOf(decoder.decode(newest))).toEqual(['a: one'])
    expect(decoder.decode(bytes('20'))).toEqual([])
    expect(decoder.decode(newest)).toBeUndefined()
    const again = new Decoder()
    expect(textOf(again.decode(Buffer.concat([bytes('20 3fe11f'), put('two')])))).toEqual(['a: two'])
    expect(textOf(again.decode(newest))).toEqual(['a: two'])
  })

  it('drops its oldest entries, and everything for a field larger than itself', () => {
    const decoder = new Decoder()
    for (let i = 0; i < 200; i++) decoder.decode(put(`${i}`.padStart(67, '0')))
    // 100 bytes each: 40 have room.
    expect(textOf(decoder.decode(Buffer.from([61 + 40 + 0x80])))?.[0]).toMatch(/0160$/)
    expect(new Decoder().decode(Buffer.from([61 + 41 + 0x80]))).toBeUndefined()
    expect(decoder.decode(put('x'.repeat(5_000)))).toHaveLength(1)
    expect(decoder.decode(newest)).toBeUndefined()
  })

  it('stays in step while a block repeats one long field beyond all bounds', () => {
    const decoder = new Decoder()
    const long = 'y'.repeat(3_900)
    const fields = decoder.decode(Buffer.concat([put(long), Buffer.alloc(100_000, newest), put('last')]))
    expect(fields!.length).toBeLessThan(25)
    expect(textOf(decoder.decode(newest))).toEqual(['a: last'])
  })
})

describe('what the encoder writes', () => {
  const latin1 = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map(code => String.fromCharCode(code)) })

  it('is read again as it was, field by field', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(latin1, latin1, fc.boolean())), given => {
        const fields = given.map(([name, value, isSensitive]) => makeField(name, value, isSensitive))
        expect(new Decoder().decode(encodeLiterally(fields))).toEqual(fields)
        const shortest = Buffer.concat(given.map(([name, value]) => encodeField(name, value)))
        expect(textOf(new Decoder().decode(shortest))).toEqual(textOf(fields))
      }),
    )
  })

  it('never enters the dynamic table', () => {
    const decoder = new Decoder()
    for (const { name } of staticTable) decoder.decode(encodeField(name, 'x'))
    expect(decoder.decode(Buffer.from([0xbe]))).toBeUndefined()
  })

  it('has the statuses as one byte', () => {
    expect([encodeStatus(200), encodeStatus(304)]).toEqual([Buffer.from([0x88]), Buffer.from([0x8b])])
  })
})

it('Huffman strings are read again as they were', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), given => {
      const text = Buffer.from(given).toString('latin1')
      const encoded = encodeHuffman(text)
      expect(decodeHuffman(encoded, 0, encoded.length)).toBe(text)
    }),
  )
})
