// Pushes that a normal git client never makes.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { announcePush, WorkingCopy } from '../../testing/git.ts'
import { gitCopyOfTest } from '../../testing/git-project.ts'
import { send } from '../../testing/send.ts'
import { TestServer } from '../../testing/server.ts'
import { freshName } from '../../testing/team.ts'

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start()
})
afterAll(() => server.remove())

const newCopy = (name?: string) => gitCopyOfTest(server, name)

describe('clients that send nothing', () => {
  it('of one account do not keep others from pushing', async () => {
    const { owner, copy } = await newCopy()
    await copy.commit({ 'a.txt': 'a' })
    expect((await copy.git('push', 'origin', 'main')).code).toBe(0)
    const { copy: theirs } = await newCopy()
    await theirs.commit({ 'a.txt': 'a' })
    const stalled = Array.from({ length: 12 }, () => stalledPush(owner.token, `${owner.login}/site`))
    try {
      // A server that asks for the body has given the request its turn.
      await Promise.any(stalled.map(({ hasTurn }) => hasTurn))
      expect((await theirs.git('push', 'origin', 'main')).code).toBe(0)
    } finally {
      for (const { req } of stalled) req.destroy()
    }
  })

  function stalledPush(token: string, repo: string) {
    const req = announcePush(server, token, repo)
    return { req, hasTurn: once(req, 'continue') }
  }
})

describe('a push', () => {
  it.each([
    '.git',
    '.GIT',
    '.Git',
    '..',
    '.',
    'git~1',
    '.git ',
    '.git.',
    '.g\u200cit',
    'a/b',
    '.git::$INDEX_ALLOCATION',
  ])('with a file called %j in it is refused', async name => {
    const { copy } = await newCopy()
    await copy.commit({ 'a.txt': 'a' })
    const blob = (await copy.git('rev-parse', 'HEAD:a.txt')).stdout.trim()
    const entry = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')])
    await writeFile(path.join(copy.dir, '.git/tree.bin'), entry)
    const tree = await copy.git('hash-object', '-t', 'tree', '-w', '--literally', '.git/tree.bin')
    const commit = await copy.git('commit-tree', '-m', 'x', tree.stdout.trim())
    const pushed = await copy.git('push', 'origin', `${commit.stdout.trim()}:refs/heads/main`)
    expect(pushed.code).not.toBe(0)
    expect((await copy.git('ls-remote', 'origin')).stdout).toBe('')
  })

  it('of a few bytes that stand for gigabytes is refused, and the next push is taken', async () => {
    const { owner, copy } = await newCopy()
    const body = Buffer.concat([
      packet(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/main\0 report-status\n`),
      Buffer.from('0000'),
      deltaBomb(),
    ])
    expect(body.length).toBeLessThan(100_000)
    const authorization = `Basic ${Buffer.from(`x:${owner.token}`).toString('base64')}`
    const answer = await server.request(`/git/${owner.login}/site.git/git-receive-pack`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/x-git-receive-pack-request' },
      body,
    })
    expect(answer.text).not.toContain('unpack ok')
    await copy.commit({ 'a.txt': 'a' })
    expect((await copy.git('push', 'origin', 'main')).code).toBe(0)
  })

  it('that is too large is refused with the limit and what to do, without waiting for the rest of it', async () => {
    const small = await TestServer.start('sqlite', { SVCD_GIT_PUSH_BYTES: '1048576' })
    onTestFinished(() => small.remove())
    const owner = await small.account()
    const copy = await WorkingCopy.make(small, owner.token, `${owner.login}/site`)
    onTestFinished(() => copy.remove())
    // More than the buffers of a connection hold.
    await copy.commit({ 'noise.bin': randomBytes(24 * 1024 * 1024) })
    const pushed = await copy.git('push', 'origin', 'main')
    expect(pushed.code).not.toBe(0)
    expect(pushed.stderr).toContain('remote: This push is larger than 1 MB, so it was refused.')
    expect((await copy.git('ls-remote', 'origin')).stdout).toBe('')
    const another = await WorkingCopy.make(small, owner.token, `${owner.login}/site`)
    onTestFinished(() => another.remove())
    await another.commit({ 'a.txt': 'a' })
    expect((await another.git('push', 'origin', 'main')).code).toBe(0)
  })

  it('of many branches builds the production branch, and looks at a few of the others only', async () => {
    const { owner, copy } = await newCopy()
    const name = freshName()
    const repo = `${owner.login}/site`
    await send(server, 'POST /projects', owner, { name })
    await send(server, `POST /projects/${name}/repo`, owner, { repo, previews: false })
    await copy.commit({ 'index.html': 'x' })
    const branches = Array.from({ length: 60 }, (_, i) => `main:refs/heads/branch-${i}`)
    const pushed = await copy.git('push', 'origin', 'main', ...branches)
    expect(pushed.stderr).toContain('41 more branches are not built')
    const { builds } = (await send(server, `GET /projects/${name}/builds`, owner)).json
    expect(builds).toMatchObject([{ branch: 'main' }])
    expect((await copy.git('ls-remote', '--heads', 'origin')).stdout.trim().split('\n')).toHaveLength(61)
  })

  it('of a commit that is no commit, or of a name that is no branch, changes nothing', async () => {
    const { copy } = await newCopy()
    await copy.commit({ 'a.txt': 'a' })
    const blob = (await copy.git('rev-parse', 'HEAD:a.txt')).stdout.trim()
    expect((await copy.git('push', 'origin', `${blob}:refs/heads/main`)).code).not.toBe(0)
    for (const ref of ['refs/../../x', 'refs/heads/../x', 'refs/heads/a.lock'])
      expect((await copy.git('push', 'origin', `main:${ref}`)).code).not.toBe(0)
    expect((await copy.git('ls-remote', '--heads', 'origin')).stdout).toBe('')
  })
})

const packet = (text: string) => Buffer.from((text.length + 4).toString(16).padStart(4, '0') + text)

/** A pack of two objects: 16 MB of zeros, and a difference that repeats them until there are 6 GB. */
function deltaBomb(): Buffer {
  const base = Buffer.alloc(0xffffff)
  const copies = 400
  const copyAll = Buffer.from([0xf0, 0xff, 0xff, 0xff])
  const delta = Buffer.concat([
    varint(base.length),
    varint(base.length * copies),
    Buffer.concat(Array.from({ length: copies }, () => copyAll)),
  ])
  const first = Buffer.concat([objectHeader(3, base.length), deflateSync(base)])
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\x02', 'latin1')
  const second = Buffer.concat([objectHeader(6, delta.length), offset(first.length), deflateSync(delta)])
  const pack = Buffer.concat([head, first, second])
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = BigInt(value); ; rest >>= 7n) {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0))
    if (rest <= 0x7fn) return Buffer.from(bytes)
  }
}

/** The kind and the size, four bits first and then seven at a time. */
function objectHeader(kind: number, size: number): Buffer {
  const first = (kind << 4) | (size & 0x0f)
  return size < 16 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 0x80]), varint(size >> 4)])
}

/** How far back the base lies. */
function offset(distance: number): Buffer {
  const bytes = [distance & 0x7f]
  for (let rest = distance >> 7; rest > 0; rest >>= 7) {
    rest -= 1
    bytes.unshift(0x80 | (rest & 0x7f))
  }
  return Buffer.from(bytes)
}
