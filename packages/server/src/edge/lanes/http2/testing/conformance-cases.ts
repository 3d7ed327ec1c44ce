// Cases of h2spec: what the client sends, grouped by what the server has to do. Sections are those of RFC 7540, as in
// h2spec.
import { windowUpdate } from '../frames.ts'
import { blockOf, type Fields, frame, headers, rstStream, settings, uint32 } from './raw-client.ts'
import { host } from './testbed.ts'

export const get = (more: Fields = [], path = '/small.txt'): Fields => [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', path],
  [':authority', host],
  ...more,
]
const post = (more: Fields = []): Fields => [[':method', 'POST'], ...get(more).slice(1)]
const without = (name: string): Fields => get().filter(([given]) => given !== name)

const data = (id: number, text: string, flag = 1) => frame(0, flag, id, Buffer.from(text))
const continuation = (id: number, block: Buffer, flag = 4) => frame(9, flag, id, block)
const priority = (id: number, on: number) => frame(2, 0, id, Buffer.concat([uint32(on), Buffer.from([15])]))
export const block = blockOf(get())
const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
/** A request that the server answers before the next part is sent. */
export const answered = [headers(1, get())]

export const codes = {
  PROTOCOL_ERROR: 1,
  FLOW_CONTROL_ERROR: 3,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  COMPRESSION_ERROR: 9,
} as const
type Code = keyof typeof codes

/** The parts are sent in turn, after the preface and SETTINGS. The answer to each part is awaited before the next. */
type Case = [name: string, ...parts: (Buffer | Buffer[])[]]

export const answeredCases: Case[] = [
  ['generic 1: the preface', headers(1, get())],
  ['generic 3.1: DATA', [headers(1, post(), 4), data(1, 'test')]],
  ['generic 3.1: several DATA', [headers(1, post(), 4), data(1, 'test', 0), data(1, 'test')]],
  ['generic 3.1: DATA with padding', [headers(1, post(), 4), frame(0, 9, 1, bytes('03 616263 000000'))]],
  ['generic 3.2: HEADERS', headers(1, get())],
  [
    'generic 3.2: HEADERS with padding',
    frame(1, 13, 1, Buffer.concat([bytes('05'), block, Buffer.alloc(5)])),
  ],
  ['generic 3.2: HEADERS with priority', frame(1, 0x25, 1, Buffer.concat([bytes('00000000 0f'), block]))],
  ['generic 3.3: PRIORITY before HEADERS', [priority(1, 0), headers(1, get())]],
  ['generic 3.3: PRIORITY for an idle stream', [headers(1, get()), priority(9, 7)]],
  ['generic 3.3: PRIORITY for a stream that is over', answered, priority(1, 0)],
  ['generic 3.4: RST_STREAM for a stream that is over', answered, rstStream(1)],
  ['generic 3.9: WINDOW_UPDATE for the connection', [windowUpdate(0, 1), headers(1, get())]],
  ['generic 3.9: WINDOW_UPDATE for a stream that is over', answered, windowUpdate(1, 1)],
  ['generic 3.10: CONTINUATION', [frame(1, 1, 1, block.subarray(0, 9)), continuation(1, block.subarray(9))]],
  [
    '6.10: several CONTINUATION frames',
    [
      frame(1, 1, 1, block.subarray(0, 5)),
      continuation(1, block.subarray(5, 9), 0),
      continuation(1, block.subarray(9)),
    ],
  ],
  ['generic 4: GET', headers(1, get())],
  ['generic 4: HEAD', headers(1, [[':method', 'HEAD'], ...get().slice(1)])],
  ['generic 4: POST', [headers(1, post(), 4), data(1, 'test')]],
  [
    'generic 4: POST with trailers',
    [headers(1, post(), 4), data(1, 'test', 0), headers(1, [['x-test', 'ok']])],
  ],
  ['generic 5: an indexed field', frame(1, 5, 1, Buffer.concat([bytes('82 87'), blockOf(get().slice(2))]))],
  ['generic 5: a literal with indexing', frame(1, 5, 1, Buffer.concat([block, bytes('4001 7801 79')]))],
  ['generic 5: a literal without indexing', frame(1, 5, 1, Buffer.concat([block, bytes('0001 7801 79')]))],
  ['generic 5: a literal never indexed', frame(1, 5, 1, Buffer.concat([block, bytes('1001 7801 79')]))],
  ['generic 5: a new size of the table', frame(1, 5, 1, Buffer.concat([bytes('20 3fe11f'), block]))],
  ['4.1: a frame of an unknown type', [frame(0xff, 0, 0, Buffer.alloc(8)), headers(1, get())]],
  ['4.1: unknown flags', [frame(6, 0x16, 0, Buffer.alloc(8)), headers(1, get())]],
  ['4.1: the reserved bit', [frame(6, 0, 0x8000_0000, Buffer.alloc(8)), headers(1, get())]],
  ['4.2: DATA of 16,384 bytes', [headers(1, post(), 4), data(1, 'x'.repeat(16_384))]],
  ['5.5: an unknown extension', [frame(0x16, 0, 0, Buffer.alloc(8)), headers(1, get())]],
  ['6.5.2: an unknown setting', [settings([[0xff, 1]]), headers(1, get())]],
  ['7: RST_STREAM with an unknown code', answered, rstStream(1, 0xff)],
  ['8.1.2.2: TE with trailers', headers(1, get([['te', 'trailers']]))],
]

export const connectionErrors: [Code, ...Case][] = [
  ['FRAME_SIZE_ERROR', '4.2: DATA beyond 16,384 bytes', [headers(1, post(), 4), data(1, 'x'.repeat(16_385))]],
  [
    'FRAME_SIZE_ERROR',
    '4.2: HEADERS beyond 16,384 bytes',
    frame(1, 5, 1, Buffer.concat([block, Buffer.alloc(16_384)])),
  ],
  ['COMPRESSION_ERROR', '4.3: an unreadable header block', frame(1, 5, 1, bytes('ffffffffffffffffff'))],
  ['PROTOCOL_ERROR', '4.3: PRIORITY inside a header block', [frame(1, 1, 1, block), priority(1, 0)]],
  ['PROTOCOL_ERROR', '4.3: HEADERS inside a header block', [frame(1, 1, 1, block), headers(3, get())]],
  ['PROTOCOL_ERROR', '5.1: DATA on an idle stream', data(1, 'test')],
  ['PROTOCOL_ERROR', '5.1: RST_STREAM on an idle stream', rstStream(1)],
  ['PROTOCOL_ERROR', '5.1: WINDOW_UPDATE on an idle stream', windowUpdate(1, 100)],
  ['PROTOCOL_ERROR', '5.1: CONTINUATION on an idle stream', continuation(1, block)],
  ['PROTOCOL_ERROR', '5.1.1: HEADERS with an even id', headers(2, get())],
  [
    'PROTOCOL_ERROR',
    '5.3.1: HEADERS that depend on themselves',
    frame(1, 0x25, 1, Buffer.concat([bytes('00000001 0f'), block])),
  ],
  ['PROTOCOL_ERROR', '5.3.1: PRIORITY that depends on itself', priority(3, 3)],
  ['FRAME_SIZE_ERROR', '5.4.1: PING of six bytes', frame(6, 0, 0, Buffer.alloc(6))],
  [
    'PROTOCOL_ERROR',
    '5.5: an extension inside a header block',
    [frame(1, 1, 1, block), frame(0x16, 0, 0, Buffer.alloc(8))],
  ],
  ['PROTOCOL_ERROR', '6.1: DATA without a stream', data(0, 'test')],
  [
    'PROTOCOL_ERROR',
    '6.1: DATA with too much padding',
    [headers(1, post(), 4), frame(0, 9, 1, bytes('06 5465737400'))],
  ],
  ['PROTOCOL_ERROR', '6.2: HEADERS without a stream', headers(0, get())],
  [
    'PROTOCOL_ERROR',
    '6.2: HEADERS with too much padding',
    frame(1, 13, 1, Buffer.concat([bytes('ff'), block])),
  ],
  ['PROTOCOL_ERROR', '6.3: PRIORITY without a stream', priority(0, 1)],
  ['FRAME_SIZE_ERROR', '6.3: PRIORITY of four bytes', frame(2, 0, 1, Buffer.alloc(4))],
  ['PROTOCOL_ERROR', '6.4: RST_STREAM without a stream', rstStream(0)],
  ['FRAME_SIZE_ERROR', '6.4: RST_STREAM of three bytes', answered, frame(3, 0, 1, Buffer.alloc(3))],
  ['FRAME_SIZE_ERROR', '6.5: SETTINGS with ACK and a payload', frame(4, 1, 0, Buffer.alloc(6))],
  ['PROTOCOL_ERROR', '6.5: SETTINGS on a stream', frame(4, 0, 1, bytes('0003 00000064'))],
  ['FRAME_SIZE_ERROR', '6.5: SETTINGS of three bytes', frame(4, 0, 0, bytes('000300'))],
  ['PROTOCOL_ERROR', '6.5.2: ENABLE_PUSH of 2', settings([[2, 2]])],
  ['FLOW_CONTROL_ERROR', '6.5.2: INITIAL_WINDOW_SIZE beyond 31 bits', settings([[4, 0x8000_0000]])],
  ['PROTOCOL_ERROR', '6.5.2: MAX_FRAME_SIZE below 16,384', settings([[5, 16_383]])],
  ['PROTOCOL_ERROR', '6.5.2: MAX_FRAME_SIZE beyond 24 bits', settings([[5, 0x100_0000]])],
  ['PROTOCOL_ERROR', '6.7: PING on a stream', frame(6, 0, 1, Buffer.alloc(8))],
  ['FRAME_SIZE_ERROR', '6.7: PING of nine bytes', frame(6, 0, 0, Buffer.alloc(9))],
  ['PROTOCOL_ERROR', '6.8: GOAWAY on a stream', frame(7, 0, 1, Buffer.alloc(8))],
  ['PROTOCOL_ERROR', '6.9: WINDOW_UPDATE of 0 for the connection', windowUpdate(0, 0)],
  ['FRAME_SIZE_ERROR', '6.9: WINDOW_UPDATE of three bytes', frame(8, 0, 0, Buffer.alloc(3))],
  [
    'FLOW_CONTROL_ERROR',
    '6.9.1: a connection window beyond 31 bits',
    [windowUpdate(0, 0x7fff_ffff), windowUpdate(0, 0x7fff_ffff)],
  ],
  [
    'PROTOCOL_ERROR',
    '6.10: CONTINUATION and then DATA',
    [frame(1, 1, 1, block.subarray(0, 5)), continuation(1, block.subarray(5), 0), data(1, 'x')],
  ],
  [
    'PROTOCOL_ERROR',
    '6.10: CONTINUATION without a stream',
    [frame(1, 1, 1, block), continuation(0, Buffer.alloc(0))],
  ],
  [
    'PROTOCOL_ERROR',
    '6.10: CONTINUATION after END_HEADERS',
    [headers(1, get()), continuation(1, blockOf([['x', 'y']]))],
  ],
  [
    'PROTOCOL_ERROR',
    '6.10: CONTINUATION after DATA',
    [headers(1, post(), 4), data(1, 'x', 0), continuation(1, block)],
  ],
  ['PROTOCOL_ERROR', '8.2: PUSH_PROMISE', frame(5, 4, 1, Buffer.concat([uint32(2), block]))],
  [
    'COMPRESSION_ERROR',
    'hpack 2.3.3: an index beyond the tables',
    frame(1, 5, 1, Buffer.concat([block, bytes('c6')])),
  ],
  [
    'COMPRESSION_ERROR',
    'hpack 4.2: a size of the table behind a field',
    frame(1, 5, 1, Buffer.concat([block, bytes('20')])),
  ],
  [
    'COMPRESSION_ERROR',
    'hpack 5.2: padding of more than seven bits',
    frame(1, 5, 1, Buffer.concat([block, bytes('0085 f2b24a84ff 8449509fff')])),
  ],
  [
    'COMPRESSION_ERROR',
    'hpack 5.2: padding of zeros',
    frame(1, 5, 1, Buffer.concat([block, bytes('0085 f2b24a8780 8349509f')])),
  ],
  [
    'COMPRESSION_ERROR',
    'hpack 5.2: the end of the string inside it',
    frame(1, 5, 1, Buffer.concat([block, bytes('0088 f2b24a84ffffffff 00')])),
  ],
  ['COMPRESSION_ERROR', 'hpack 6.1: index 0', frame(1, 5, 1, Buffer.concat([bytes('80'), block]))],
  [
    'COMPRESSION_ERROR',
    'hpack 6.3: a table larger than allowed',
    frame(1, 5, 1, Buffer.concat([bytes('3fe21f'), block])),
  ],
]

export const streamErrors: [Code, ...Case][] = [
  [
    'PROTOCOL_ERROR',
    '8.1: HEADERS again without END_STREAM',
    [headers(1, post(), 4), headers(1, [['x', 'y']], 4)],
  ],
  ['PROTOCOL_ERROR', '8.1.2: a name in upper case', headers(1, get([['X-Test', 'ok']]))],
  ['PROTOCOL_ERROR', '8.1.2.1: an unknown pseudo field', headers(1, [[':test', 'ok'], ...get()])],
  ['PROTOCOL_ERROR', '8.1.2.1: a pseudo field of answers', headers(1, [[':status', '200'], ...get()])],
  [
    'PROTOCOL_ERROR',
    '8.1.2.1: a pseudo field in trailers',
    [headers(1, post(), 4), headers(1, [[':method', 'GET']])],
  ],
  [
    'PROTOCOL_ERROR',
    '8.1.2.1: a pseudo field after others',
    headers(1, [...without(':path'), ['x', 'y'], [':path', '/']]),
  ],
  ['PROTOCOL_ERROR', '8.1.2.2: a field of the connection', headers(1, get([['connection', 'keep-alive']]))],
  ['PROTOCOL_ERROR', '8.1.2.2: TE without trailers', headers(1, get([['te', 'trailers, deflate']]))],
  ['PROTOCOL_ERROR', '8.1.2.3: an empty :path', headers(1, get([], ''))],
  ...[':method', ':scheme', ':path'].map((name): [Code, ...Case] => [
    'PROTOCOL_ERROR',
    `8.1.2.3: no ${name}`,
    headers(1, without(name)),
  ]),
  ...get().map(([name, value]): [Code, ...Case] => [
    'PROTOCOL_ERROR',
    `8.1.2.3: ${name} twice`,
    headers(1, [...get(), [name, value]]),
  ]),
  [
    'PROTOCOL_ERROR',
    '8.1.2.6: more DATA than Content-Length',
    [headers(1, post([['content-length', '1']]), 4), data(1, 'test')],
  ],
  [
    'PROTOCOL_ERROR',
    '8.1.2.6: other DATA than Content-Length',
    [headers(1, post([['content-length', '1']]), 4), data(1, 'te', 0), data(1, 'st')],
  ],
]

/**
 * Frames on streams that are closed. RFC 9113 asks for an error, but nghttp2 ignores these frames if it no longer
 * remembers the stream.
 */
export const closedStreamCases: Case[] = [
  ['5.1: DATA after END_STREAM', answered, data(1, 'test')],
  ['5.1: HEADERS after END_STREAM', answered, headers(1, get())],
  ['5.1: DATA after RST_STREAM', [headers(1, post(), 4), rstStream(1), data(1, 'test')]],
  ['5.1: HEADERS after RST_STREAM', [headers(1, post(), 4), rstStream(1), headers(1, get())]],
  ['5.1.1: an id below the one before', [headers(5, get()), headers(3, get())]],
]
