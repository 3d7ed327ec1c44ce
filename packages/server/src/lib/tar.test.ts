import { tarHeader } from '@svc/contract/site'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { base256, endBlocks, entry, gnuLong, header, makeTar, pax } from '../testing/make-tar.ts'
import { Fault } from './fault.ts'
import { TarParser } from './tar.ts'

/** Parses the archive in chunks of the given size and returns its files. */
function parse(archive: Buffer, chunkBytes = archive.length || 1) {
  const files: { path: string; size: number; content: string }[] = []
  const parser = new TarParser({
    onFile: ({ path, size }) => files.push({ path: path.toString(), size, content: '' }),
    onData: slice => {
      files.at(-1)!.content += slice.toString('latin1')
    },
    onFileEnd: () => expect(files.at(-1)!.content).toHaveLength(files.at(-1)!.size),
  })
  for (let at = 0; at < archive.length; at += chunkBytes) parser.write(archive.subarray(at, at + chunkBytes))
  parser.end()
  return files
}

const paths = (archive: Buffer) => parse(archive).map(file => file.path)

const longName = `${'deep/'.repeat(40)}page.html`

test('files are reported with their path, size and content', () => {
  const archive = makeTar([
    { path: 'index.html', content: '<h1>hi</h1>' },
    { path: 'empty.txt' },
    { path: 'block.bin', content: 'x'.repeat(512) },
    { path: 'more.bin', content: 'y'.repeat(1500) },
  ])
  expect(parse(archive)).toEqual([
    { path: 'index.html', size: 11, content: '<h1>hi</h1>' },
    { path: 'empty.txt', size: 0, content: '' },
    { path: 'block.bin', size: 512, content: 'x'.repeat(512) },
    { path: 'more.bin', size: 1500, content: 'y'.repeat(1500) },
  ])
})

test('the size of the chunks makes no difference', () => {
  const archive = makeTar([
    { path: 'a', content: 'a'.repeat(700) },
    pax({ path: longName }),
    { path: 'short', content: 'b' },
    gnuLong('L', `${longName}.map`),
    { path: 'short', format: 'gnu' },
  ])
  const whole = parse(archive)
  expect(whole.map(file => file.path)).toEqual(['a', longName, `${longName}.map`])
  for (let bytes = 1; bytes < 1100; bytes += 7) expect(parse(archive, bytes)).toEqual(whole)
})

test.each<[string, Buffer[] | Parameters<typeof makeTar>[0], string[]]>([
  ['V7 files', [{ path: 'a', type: '\0', format: 'v7' }], ['a']],
  ['contiguous files', [{ path: 'a', type: '7' }], ['a']],
  ['names of exactly 100 bytes', [{ path: 'n'.repeat(100) }], ['n'.repeat(100)]],
  ['ustar prefixes', [{ path: 'b', prefix: 'a/deep' }], ['a/deep/b']],
  [
    'what GNU keeps in the place of the prefix is no prefix',
    [{ path: 'b', prefix: 'x', format: 'gnu' }],
    ['b'],
  ],
  ['PAX paths', [pax({ path: 'ünïcode/☃' }), { path: 'x' }], ['ünïcode/☃']],
  ['a PAX path is for one entry', [pax({ path: 'p' }), { path: 'x' }, { path: 'y' }], ['p', 'y']],
  ['a global PAX path is for all', [pax({ path: 'p' }, 'g'), { path: 'x' }, { path: 'y' }], ['p', 'p']],
  ['an own PAX path beats a global one', [pax({ path: 'g' }, 'g'), pax({ path: 'p' }), { path: 'x' }], ['p']],
  ['other PAX keys', [pax({ mtime: '1.5', comment: 'a=b', 'SCHILY.xattr.x': 'é' }), { path: 'x' }], ['x']],
  ['an empty global PAX header', [entry({ path: 'g', type: 'g' }), { path: 'x' }], ['x']],
  ['GNU long names', [gnuLong('L', longName), { path: 'x', format: 'gnu' }], [longName]],
  [
    'GNU long links',
    [gnuLong('K', longName), gnuLong('L', 'l'), { path: 'x', type: '2' }, { path: 'y' }],
    ['y'],
  ],
  ['signed checksums', [{ path: 'é', checksum: 'signed' }], ['é']],
  ['base-256 sizes', [header({ path: 'x', size: base256(3n) }), Buffer.from('abc'.padEnd(512, '\0'))], ['x']],
  [
    'directories by name',
    [{ path: 'dir/', type: '0' }, { path: 'old/', type: '\0', format: 'v7' }, { path: 'x' }],
    ['x'],
  ],
  [
    'entries of unknown types are skipped with their bodies',
    [{ path: 'v', type: 'V', content: 'abc' }, { path: 'x' }],
    ['x'],
  ],
])('%s are understood', (_, parts, expected) => {
  expect(paths(makeTar(parts))).toEqual(expected)
})

test('a PAX size replaces that of the header', () => {
  const archive = makeTar([
    pax({ size: '3' }),
    header({ path: 'x', size: 0 }),
    Buffer.from('abc'.padEnd(512, '\0')),
  ])
  expect(parse(archive)).toEqual([{ path: 'x', size: 3, content: 'abc' }])
})

test.each(['1', '2', '3', '4', '5', '6'])(
  'entries of type %s have no body, whatever their size says',
  type => {
    expect(paths(makeTar([{ path: 'no/body', type, size: 4096 }, { path: 'x' }]))).toEqual(['x'])
  },
)

test('bytes after the two end blocks are ignored', () => {
  expect(paths(Buffer.concat([makeTar([{ path: 'x' }]), Buffer.alloc(5000, 0xff)]))).toEqual(['x'])
})

test.each([
  ['no end blocks', entry({ path: 'x', content: 'abc' })],
  ['one end block', Buffer.concat([entry({ path: 'x', content: 'abc' }), Buffer.alloc(512)])],
])('an archive with %s is complete', (_, archive) => {
  expect(paths(archive)).toEqual(['x'])
})

test('an archive that ends anywhere in an entry is truncated', () => {
  const archive = Buffer.concat([pax({ path: 'long' }), entry({ path: 'x', content: 'abc' })])
  for (let end = 1; end < archive.length; end++) {
    expect(() => parse(archive.subarray(0, end)), `cut at ${end}`).toThrow('ends in the middle of an entry')
  }
})

test.each<[string, Parameters<typeof makeTar>[0], string]>([
  ['a wrong checksum', [{ path: 'x', checksum: 'wrong' }], 'wrong checksum'],
  ['no tar at all', [Buffer.from('<html>'.repeat(200))], 'an invalid number'],
  ['a negative size', [header({ path: 'x', size: Buffer.alloc(12, 0xff) })], 'negative number'],
  ['a size with a sign', [header({ path: 'x', size: Buffer.from('-0000000001\0') })], 'an invalid number'],
  ['a size in letters', [header({ path: 'x', size: Buffer.from('zzzzzzzzzzz\0') })], 'an invalid number'],
  ['a PAX size with a sign', [pax({ size: '-1' }), { path: 'x' }], 'extended header is malformed'],
  ['a PAX record that is too long', [entry({ path: 'p', type: 'x', content: '99 path=a\n' })], 'malformed'],
  ['a PAX record without a length', [entry({ path: 'p', type: 'x', content: 'path=a\n' })], 'malformed'],
  ['a PAX record of length 0', [entry({ path: 'p', type: 'x', content: '0 path=a\n' })], 'malformed'],
  ['a PAX record without =', [entry({ path: 'p', type: 'x', content: '7 path\n' })], 'malformed'],
  ['a PAX record without newline', [entry({ path: 'p', type: 'x', content: '9 path=ab' })], 'malformed'],
  ['a PAX header over 64 KB', [pax({ path: 'a'.repeat(65_536) }), { path: 'x' }], 'larger than 64 KB'],
  ['a long name over 64 KB', [gnuLong('L', 'a'.repeat(65_536)), { path: 'x' }], 'larger than 64 KB'],
  [
    'a PAX header of a terabyte',
    [header({ path: 'p', type: 'x', size: base256(1n << 40n) })],
    'larger than 64 KB',
  ],
  ['a GNU sparse file', [{ path: 'x', type: 'S' }], 'sparse file'],
  ['a PAX sparse file', [pax({ 'GNU.sparse.major': '1' }), { path: 'x' }], 'sparse file'],
  ['an entry after a zero block', [Buffer.alloc(512), { path: 'x' }], 'follows a zero block'],
])('%s is refused', (_, parts, message) => {
  expect(() => parse(makeTar(parts))).toThrow(Fault)
  expect(() => parse(makeTar(parts))).toThrow(message)
})

test('more than 100,000 entries of any kind are refused', () => {
  const directory = entry({ path: 'd/', type: '5' })
  const parser = new TarParser({ onFile: vi.fn(), onData: vi.fn(), onFileEnd: vi.fn() })
  for (let i = 0; i < 100_000; i++) parser.write(directory)
  expect(() => parser.write(directory)).toThrow('more than 100,000 entries')
})

test('any archive of files round-trips', () => {
  const file = fc.record({
    path: fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,3}$/),
    content: fc.string({ maxLength: 2000 }),
  })
  fc.assert(
    fc.property(fc.array(file, { maxLength: 10 }), fc.integer({ min: 1, max: 3000 }), (files, chunkBytes) => {
      const found = parse(makeTar(files), chunkBytes)
      expect(
        found.map(({ path, content }) => ({ path, content: Buffer.from(content, 'latin1').toString() })),
      ).toEqual(files)
    }),
  )
})

test('arbitrary bytes are parsed or refused with a fault', () => {
  const mutation = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) })
  const sound = Buffer.concat([
    makeTar([pax({ path: longName }), { path: 'x', content: 'abc' }, { path: 'y' }]),
    endBlocks,
  ])
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 8 }), mutations => {
      const archive = Buffer.from(sound)
      for (const { at, byte } of mutations) archive[at % archive.length] = byte
      try {
        parse(archive)
      } catch (error) {
        expect(error).toBeInstanceOf(Fault)
      }
    }),
    { numRuns: 2000 },
  )
})

test.each([8 * 1024 ** 3 - 1, 8 * 1024 ** 3, 2 ** 50])(
  'a header of ours with the size %d is read as that',
  size => {
    const seen: [string, number][] = []
    const parser = new TarParser({
      onFile: file => void seen.push([file.path.toString(), file.size]),
      onData: () => undefined,
      onFileEnd: () => undefined,
    })
    parser.write(Buffer.from(tarHeader({ path: 'svc.db', size })))
    expect(seen).toEqual([['svc.db', size]])
  },
)
