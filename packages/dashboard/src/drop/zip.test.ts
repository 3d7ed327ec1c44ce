import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { siteFile } from '../upload/selection.ts'
import { unzip, zipIn } from './zip.ts'

interface Part {
  name: string | Uint8Array
  content?: string
  flags?: number
  method?: number
  mode?: number
  size?: number
  crc?: number
}

const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** Makes an archive by hand, so that every field can be wrong. */
function zip(parts: Part[], comment = ''): File {
  const bodies: Buffer[] = []
  const list: Buffer[] = []
  let offset = 0
  for (const { name, content = '', flags = 0, method = 8, mode = 0o100644, size, crc } of parts) {
    const path = Buffer.from(name)
    const plain = Buffer.from(content)
    const packed = method === 8 ? deflateRawSync(plain) : plain
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(path.length, 26)
    bodies.push(local, path, packed)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(flags, 8)
    entry.writeUInt16LE(method, 10)
    entry.writeUInt32LE(crc ?? crc32(plain), 16)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(size ?? plain.length, 24)
    entry.writeUInt16LE(path.length, 28)
    entry.writeUInt32LE((mode << 16) >>> 0, 38)
    entry.writeUInt32LE(offset, 42)
    list.push(entry, path)
    offset += local.length + path.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(Buffer.concat(list).length, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(comment.length, 20)
  return new File([Buffer.concat([...bodies, ...list, end, Buffer.from(comment)])], 'site.zip')
}

const contentsOf = async (archive: File) => {
  const { files } = await unzip(archive)
  return Object.fromEntries(await Promise.all(files.map(async ({ path, file }) => [path, await file.text()])))
}

describe('a zip archive', () => {
  it('gives its files, whether they are compressed or not', async () => {
    const archive = zip(
      [
        { name: 'index.html', content: 'x'.repeat(100_000) },
        { name: 'sub/', mode: 0o040755 },
        { name: 'sub/ünï.txt', content: 'stored', method: 0 },
        { name: './empty.txt' },
      ],
      'a comment after the end',
    )
    expect(await contentsOf(archive)).toEqual({
      'index.html': 'x'.repeat(100_000),
      'sub/ünï.txt': 'stored',
      'empty.txt': '',
    })
    expect((await unzip(archive)).folder).toBe('site')
  })

  it('gives what is in its only folder, and that name', async () => {
    const archive = zip([
      { name: 'my-shop/index.html', content: 'hello' },
      { name: '__MACOSX/my-shop/._index.html', content: 'fork' },
      { name: 'my-shop/node_modules/a/index.js', content: 'x' },
      { name: 'my-shop/link', content: '/etc/passwd', mode: 0o120777 },
    ])
    const { folder, files } = await unzip(archive)
    expect([folder, files.map(({ path }) => path)]).toEqual(['my-shop', ['index.html']])
  })

  it.each<[string, Part[], RegExp]>([
    ['leaves its folder', [{ name: '../evil.html' }], /'\.\.' segment/],
    ['leaves its folder further down', [{ name: 'a/../../evil.html' }], /'\.\.' segment/],
    ['is absolute', [{ name: '/etc/passwd' }], /absolute path/],
    ['has a backslash', [{ name: 'a\\b.html' }], /backslash/],
    ['has a NUL byte', [{ name: 'a\0b.html' }], /NUL byte/],
    ['is not UTF-8', [{ name: new Uint8Array([0xff, 0xfe, 0x61]) }], /not UTF-8/],
    ['appears twice', [{ name: 'a.html' }, { name: './a.html' }], /two entries/],
    ['is encrypted', [{ name: 'a.html', flags: 1 }], /has a password/],
    ['is compressed in an unknown way', [{ name: 'a.html', method: 14 }], /Pack it with Deflate/],
  ])('is refused if a file in it %s', async (_, parts, words) => {
    await expect(unzip(zip(parts))).rejects.toThrow(words)
  })

  it('is refused if it is no archive, or is cut off', async () => {
    const whole = zip([{ name: 'index.html', content: 'x' }])
    await expect(unzip(new File(['PK not really'], 'a.zip'))).rejects.toThrow('a.zip cannot be unpacked')
    await expect(unzip(new File([], 'a.zip'))).rejects.toThrow('it is not a zip archive')
    await expect(unzip(new File([whole.slice(0, whole.size - 30)], 'a.zip'))).rejects.toThrow('cut off')
    await expect(unzip(new File([whole.slice(40)], 'a.zip'))).rejects.toThrow('damaged')
  })

  it('is refused if it has more files than a site', async () => {
    const parts = Array.from({ length: 10_001 }, (_, i) => ({ name: `${i}`, method: 0 }))
    await expect(unzip(zip(parts))).rejects.toThrow('Site exceeds the 10,000 file limit.')
  })

  it.each<[string, Partial<Part>]>([
    ['is larger than its list says', { size: 10 }],
    ['is smaller than its list says', { size: 5_000_000 }],
    ['has another checksum', { crc: 1 }],
  ])('says that a file is damaged that %s', async (_, wrong) => {
    const archive = zip([{ name: 'bomb.bin', content: '0'.repeat(1_000_000), ...wrong }])
    const { files } = await unzip(archive)
    await expect(files[0]!.file.arrayBuffer()).rejects.toThrow('bomb.bin in site.zip is damaged.')
  })

  it('is unpacked only if it was dropped alone', () => {
    const file = (path: string) => siteFile(path, new File(['x'], path))
    expect(zipIn({ folder: '', files: [file('Site.ZIP')] })).toBeInstanceOf(File)
    expect(zipIn({ folder: '', files: [file('a.zip'), file('index.html')] })).toBeUndefined()
    expect(zipIn({ folder: '', files: [file('a.tar')] })).toBeUndefined()
    expect(zipIn({ folder: '', files: [] })).toBeUndefined()
  })
})
