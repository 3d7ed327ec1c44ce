import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { Fault } from '../../../lib/fault.ts'
import { DiskPacks } from '../../../ports/packs/disk.ts'
import { PackReader } from '../../../ports/packs/pack-reader.ts'
import { StorageFailure } from '../../../ports/packs/port.ts'
import {
  base256,
  endBlocks,
  entry,
  gnuLong,
  header,
  makeTar,
  pax,
  type TarEntry,
} from '../../../testing/make-tar.ts'
import { unpack } from './unpack.ts'

const MB = 1024 * 1024

let dir: string
let packs: DiskPacks

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'unpack-'))
  packs = new DiskPacks(dir)
  onTestFinished(() => rm(dir, { recursive: true }))
})

/** The paths and contents that came out. */
async function unpacked(body: Buffer | AsyncIterable<Buffer>): Promise<Record<string, string>> {
  const id = `dep_${Math.random().toString(36).slice(2)}`
  const result = await unpack(Buffer.isBuffer(body) ? chunks(body) : body, packs, id)
  const reader = (await PackReader.open(packs, id))!
  const files: Record<string, string> = {}
  for (const file of reader.files()) {
    const content = await reader.read(file)
    expect(createHash('sha256').update(content).digest('hex')).toBe(file.sha256)
    files[file.path] = content.toString()
  }
  expect(result).toMatchObject({ fileCount: reader.fileCount, sizeBytes: reader.totalBytes })
  await reader.close()
  return files
}

async function refusal(body: Buffer | AsyncIterable<Buffer>): Promise<Fault> {
  const fault = await unpacked(body).then(
    () => expect.fail('the archive was accepted'),
    error => error,
  )
  expect(fault).toBeInstanceOf(Fault)
  expect(await readdir(dir), 'a refused upload leaves no trace').toEqual([])
  return fault
}

async function* chunks(bytes: Buffer, size = 64 * 1024): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const tgz = (...parts: (TarEntry | Buffer)[]) => gzipSync(makeTar(parts))

/** Gzipped on the way, for archives that are too big to hold. */
const gzipped = (parts: Iterable<Buffer>, level: number) => Readable.from(parts).pipe(createGzip({ level }))

test('the files of an archive become a pack', async () => {
  const archive = tgz(
    { path: 'index.html', content: '<h1>hi</h1>' },
    { path: 'a/b.txt', content: 'b' },
    { path: 'empty' },
  )
  expect(await unpacked(archive)).toEqual({ 'index.html': '<h1>hi</h1>', 'a/b.txt': 'b', empty: '' })
})

test.each(['gnu', 'pax', 'ustar', 'v7', 'oldgnu'])(
  'an archive that tar makes in its %s format round-trips',
  async format => {
    const site = join(dir, 'site')
    const deep =
      format === 'v7' ? 'deep/er' : `${'directory/'.repeat(9)}${format === 'ustar' ? 'x' : 'y'.repeat(200)}`
    const tree: Record<string, string> = {
      'index.html': '<h1>hi</h1>',
      'ünïcode/☃ snow man.txt': 'cold',
      'empty.css': '',
      [deep]: 'deep',
      'large.js': 'let x = 1\n'.repeat(100_000),
    }
    for (const [path, content] of Object.entries(tree)) {
      await mkdir(dirname(join(site, path)), { recursive: true })
      await writeFile(join(site, path), content)
    }
    await symlink('index.html', join(site, 'link.html'))
    const archive = execFileSync('tar', [`--format=${format}`, '-cz', '-C', site, '.'], {
      maxBuffer: 64 * MB,
    })
    expect(await unpacked(archive)).toEqual(tree)
  },
)

test.each<[string, (TarEntry | Buffer)[]]>([
  ['directories', [{ path: 'dir/', type: '5' }]],
  ['directories with hostile names', [{ path: '../../etc/', type: '5' }]],
  ['symbolic links', [{ path: '/etc/link', type: '2' }]],
  ['hard links', [{ path: '../hard', type: '1', size: 100 }]],
  ['character devices', [{ path: 'dev/null', type: '3' }]],
  ['block devices', [{ path: 'dev/sda', type: '4' }]],
  ['fifos', [{ path: 'pipe\\', type: '6' }]],
  ['links with long names', [gnuLong('K', '/etc/passwd'), gnuLong('L', '../x'), { path: 'l', type: '2' }]],
  ['links with PAX paths', [pax({ path: '/abs', linkpath: '..' }), { path: 'l', type: '2' }]],
])('%s are skipped', async (_, parts) => {
  expect(await unpacked(tgz(...parts, { path: 'x', content: '1' }))).toEqual({ x: '1' })
})

test.each([
  ['./index.html', 'index.html'],
  ['././a//b.txt', 'a/b.txt'],
  ['a/./b', 'a/b'],
  ['a..b/..c/d..', 'a..b/..c/d..'],
  ['...', '...'],
  ['é'.repeat(40), 'é'.repeat(40)],
])('the path %s is stored as %s', async (path, stored) => {
  expect(await unpacked(tgz({ path, content: '1' }))).toEqual({ [stored]: '1' })
})

test('a path may have 1,024 bytes', async () => {
  const path = 'a'.repeat(1024)
  expect(await unpacked(tgz(pax({ path }), { path: 'x' }))).toEqual({ [path]: '' })
})

test('of two files with one path the last wins', async () => {
  const archive = tgz({ path: 'x', content: 'first' }, { path: './x', content: 'second!' })
  expect(await unpacked(archive)).toEqual({ x: 'second!' })
})

test.each<[string, string | Buffer, string]>([
  ['an absolute path', '/etc/passwd', "'/etc/passwd' has an absolute path"],
  ['a path out of the site', '../x', "'../x' has a '..' segment"],
  ['.. in the middle', 'a/../../x', "'a/../../x' has a '..' segment"],
  ['.. at the end', 'a/..', "'a/..' has a '..' segment"],
  ['a backslash', 'a\\b', "'a\\b' has a backslash"],
  ['a NUL byte', 'a\0b', "'a?b' has a NUL byte"],
  ['bytes that are not UTF-8', Buffer.from([0x61, 0xff]), "'a\ufffd' has a path that is not UTF-8"],
  ['nothing but dots and slashes', './.', "'./.' has an empty path"],
  ['more than 1,024 bytes', 'a'.repeat(1025), `'${'a'.repeat(100)}…' has a path of more than 1024 bytes`],
  ['terminal escapes', '../\x1b[31m', "'../?[31m' has a '..' segment"],
])('a path with %s is refused by name', async (_, path, message) => {
  const fault = await refusal(tgz({ path: 'fine', content: '1' }, pax({ path }), { path: 'x', content: '2' }))
  expect(fault.code).toBe('invalid_archive')
  expect(fault.message).toContain(`The archive entry ${message}`)
})

test('the name field of a plain header is judged as well', async () => {
  expect((await refusal(tgz({ path: '../x' }))).code).toBe('invalid_archive')
  expect((await refusal(tgz({ path: 'x', prefix: '..' }))).code).toBe('invalid_archive')
  expect((await refusal(tgz({ path: Buffer.from([0xc3, 0x28]) }))).code).toBe('invalid_archive')
})

const sound = tgz({ path: 'x', content: 'abc' })

test.each<[string, Buffer, Fault['code'], string]>([
  ['an empty body', Buffer.alloc(0), 'invalid_archive', 'truncated'],
  ['a body that is not gzip', Buffer.from('<html></html>'), 'invalid_archive', 'not a sound gzip file'],
  ['a plain tar', makeTar([{ path: 'x' }]), 'invalid_archive', 'not a sound gzip file'],
  ['gzip that is not tar', gzipSync('hello '.repeat(1000)), 'invalid_archive', 'damaged'],
  ['gzip of nothing', gzipSync(''), 'invalid_archive', 'no files'],
  ['an archive without entries', tgz(), 'invalid_archive', 'no files'],
  ['an archive of directories', tgz({ path: 'd', type: '5' }), 'invalid_archive', 'no files'],
  ['a wrong header checksum', tgz({ path: 'x', checksum: 'wrong' }), 'invalid_archive', 'wrong checksum'],
  ['a wrong gzip checksum', flip(sound, sound.length - 8), 'invalid_archive', 'not a sound gzip file'],
  ['a wrong gzip length', flip(sound, sound.length - 4), 'invalid_archive', 'not a sound gzip file'],
  [
    'a file cut short',
    gzipSync(entry({ path: 'x', content: 'abc' }).subarray(0, 514)),
    'invalid_archive',
    'ends in the middle',
  ],
  ['a size that lies', gzipSync(header({ path: 'x', size: 5000 })), 'invalid_archive', 'ends in the middle'],
  [
    'a negative size',
    tgz(header({ path: 'x', size: Buffer.alloc(12, 0xff) })),
    'invalid_archive',
    'negative',
  ],
  ['a huge PAX header', tgz(pax({ path: 'a'.repeat(70_000) }), { path: 'x' }), 'invalid_archive', '64 KB'],
  [
    'a file over 25 MB',
    tgz(header({ path: 'big', size: 25 * MB + 1 })),
    'payload_too_large',
    "'big' is larger than 25 MB",
  ],
  [
    'a file of a PAX size over 25 MB',
    tgz(pax({ size: `${26 * MB}` }), { path: 'big' }),
    'payload_too_large',
    '25 MB',
  ],
  [
    'a file of exabytes',
    tgz(header({ path: 'big', size: base256(1n << 62n) })),
    'payload_too_large',
    '25 MB',
  ],
  [
    '10,001 files',
    gzipSync(Buffer.alloc(10_001 * 512, entry({ path: 'x' }))),
    'invalid_archive',
    'more than 10,000 files',
  ],
])('%s is refused', async (_, body, code, message) => {
  const fault = await refusal(body)
  expect(fault.message).toContain(message)
  expect(fault.code).toBe(code)
})

test('10,000 files are fine', async () => {
  const many = Array.from({ length: 10_000 }, (_, i) => entry({ path: `f${i}` }))
  expect(Object.keys(await unpacked(tgz(...many)))).toHaveLength(10_000)
})

function* files(count: number, size: number): Generator<Buffer> {
  const block = Buffer.alloc(MB)
  for (let i = 0; i < count; i++) {
    yield header({ path: `f${i}`, size })
    for (let left = size; left > 0; left -= MB) yield block.subarray(0, left)
    yield Buffer.alloc(-size & 511)
  }
}

test('more than 250 MB of files are refused', async () => {
  const fault = await refusal(gzipped([...files(10, 25 * MB), entry({ path: 'drop', content: '.' })], 1))
  expect(fault.code).toBe('payload_too_large')
  expect(fault.message).toContain('larger than 250 MB in all')
})

test('more than 100 MB of upload are refused', async () => {
  const fault = await refusal(gzipped([...files(5, 21 * MB), endBlocks], 0))
  expect(fault.code).toBe('payload_too_large')
  expect(fault.message).toContain('larger than 100 MB')
})

test.each<[string, Buffer[]]>([
  ['behind the end', [entry({ path: 'x' }), endBlocks]],
  ['in a body that is skipped', [header({ path: 'x', type: 'Z', size: 400 * MB })]],
])('a bomb of zeros %s is refused', async (_, start) => {
  const fault = await refusal(gzipped([...start, ...Array<Buffer>(330).fill(Buffer.alloc(MB))], 1))
  expect(fault.code).toBe('payload_too_large')
  expect(fault.message).toContain('far more than its files')
})

test('an archive in several gzip members is one archive', async () => {
  const tar = makeTar([{ path: 'x', content: 'abc' }])
  const members = Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))])
  expect(await unpacked(members)).toEqual({ x: 'abc' })
})

test('zeros behind the gzip data are padding; anything else there is refused', async () => {
  expect(await unpacked(Buffer.concat([sound, Buffer.alloc(700_000)]))).toEqual({ x: 'abc' })
  await rm(dir, { recursive: true })
  await mkdir(dir)
  expect((await refusal(Buffer.concat([sound, Buffer.from('garbage')]))).code).toBe('invalid_archive')
})

test('a body that arrives byte by byte is the same body', async () => {
  expect(await unpacked(chunks(sound, 1))).toEqual({ x: 'abc' })
})

test('an archive that is cut anywhere is refused', async () => {
  for (let end = 0; end < sound.length; end++) {
    expect((await refusal(sound.subarray(0, end))).code, `cut at ${end}`).toBe('invalid_archive')
  }
})

test('a body that fails midway is an upload that ended early', async () => {
  const fault = await refusal(
    (async function* () {
      yield sound.subarray(0, 40)
      throw new Error('aborted')
    })(),
  )
  expect(fault.code).toBe('invalid_archive')
  expect(fault.message).toContain('The upload ended early')
  expect(fault.cause).toEqual(new Error('aborted'))
})

test('a refused archive stops its body', async () => {
  let stopped = false
  const fault = await refusal(
    (async function* () {
      try {
        yield gzipSync(header({ path: '../x' }))
        while (true) yield gzipSync(randomBytes(256 * 1024), { level: 0 })
      } finally {
        stopped = true
      }
    })(),
  )
  expect(fault.message).toContain("'..' segment")
  expect(stopped).toBe(true)
})

test('a storage that fails makes the platform unavailable, and leaves no trace', async () => {
  const full = new DiskPacks(dir)
  const create = full.create.bind(full)
  full.create = async id => {
    const sink = await create(id)
    sink.write = () => Promise.reject(new StorageFailure('ENOSPC', { full: true }))
    return sink
  }
  const refused = { code: 'unavailable', message: expect.stringContaining('storage is full') }
  await expect(unpack(chunks(sound), full, 'dep_a')).rejects.toMatchObject(refused)
  await expect(unpack(gzipped(files(4, 20 * MB), 0), full, 'dep_a')).rejects.toMatchObject(refused)
  expect(await readdir(dir)).toEqual([])
})

test('a directory that cannot be written makes the platform unavailable, too', async () => {
  const file = join(dir, 'a-file')
  await writeFile(file, '')
  const fault = await unpack(chunks(sound), new DiskPacks(join(file, 'packs')), 'dep_a').catch(error => error)
  expect(fault).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('does not take the files'),
  })
  expect(fault.cause).toBeInstanceOf(StorageFailure)
})

test('mutated archives are unpacked or refused, and leave nothing behind', async () => {
  const tar = makeTar([
    pax({ path: 'päx' }),
    { path: 'x', content: 'abc' },
    gnuLong('L', 'long'),
    { path: 'y', content: 'd'.repeat(900) },
  ])
  const mutation = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) })
  const cases = fc.record({
    inside: fc.boolean(),
    mutations: fc.array(mutation, { minLength: 1, maxLength: 6 }),
    end: fc.nat(),
  })
  await fc.assert(
    fc.asyncProperty(cases, async ({ inside, mutations, end }) => {
      const bytes = Buffer.from(inside ? tar : gzipSync(tar))
      for (const { at, byte } of mutations) bytes[at % bytes.length] = byte
      const cut = end % 3 === 0 ? bytes.subarray(0, end % bytes.length) : bytes
      const result = await unpack(chunks(inside ? gzipSync(cut) : cut), packs, 'dep_a').catch(error => error)
      if (result instanceof Error) {
        expect(result).toBeInstanceOf(Fault)
        expect(['invalid_archive', 'payload_too_large']).toContain((result as Fault).code)
        expect(await readdir(dir)).toEqual([])
      } else {
        await packs.delete('dep_a')
      }
    }),
    { numRuns: 300 },
  )
})

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at]! ^= 1
  return copy
}
