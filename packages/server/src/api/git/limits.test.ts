// What the forge refuses, and what its git programs may use. The clients are real.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { announcePush, WorkingCopy } from '../../testing/git.ts'
import { watchGitMemory } from '../../testing/git-memory.ts'
import { gitCopyOfTest, gitProjectOfTest } from '../../testing/git-project.ts'
import { send } from '../../testing/send.ts'
import { TestServer } from '../../testing/server.ts'
import { commitManyFiles, commitTreeBomb } from '../../testing/tree-bomb.ts'

const MB = 1024 * 1024

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start()
})
afterAll(() => server.remove())

const newCopy = (name?: string) => gitCopyOfTest(server, name)

describe('a commit of fifteen objects with ten thousand million paths', () => {
  it('is refused with the reason, and its objects are not kept', async () => {
    const { copy } = await newCopy()
    const bomb = await commitTreeBomb(copy)
    const memory = watchGitMemory()
    const pushed = await copy.git('push', 'origin', `${bomb}:refs/heads/main`)
    expect(pushed.code).not.toBe(0)
    expect(pushed.stderr).toContain('has more than 200,000 files and folders')
    expect(await memory.stop()).toBeLessThan(128 * MB)
    expect((await copy.git('ls-remote', 'origin')).stdout).toBe('')
    expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
  })

  it('is refused behind large branches of the same push, too', async () => {
    const { copy } = await newCopy()
    const large: string[] = []
    for (const name of ['a', 'b', 'c']) large.push(await commitManyFiles(copy, 190_000, name))
    const bomb = await commitTreeBomb(copy)
    const refs = [...large, bomb].map((commit, at) => `${commit}:refs/heads/branch-${at}`)
    const pushed = await copy.git('push', 'origin', ...refs)
    expect([pushed.code === 0, pushed.stderr]).toEqual([
      false,
      expect.stringContaining('has more than 200,000 files and folders'),
    ])
    expect((await copy.git('ls-remote', 'origin')).stdout).toBe('')
  })

  it('that an earlier version took is not built, whatever asks for it', async () => {
    const project = await gitProjectOfTest(server, {
      root_dir: 'web',
      install_cmd: 'true',
      build_cmd: 'true',
    })
    await project.copy.commit({ 'web/index.html': 'x', 'package.json': '{"workspaces":["web"]}' })
    const { dir } = await repositoryOf(project.repo)
    await project.push('main')
    const bomb = await commitTreeBomb(project.copy)
    await project.copy.git('push', dir, `${bomb}:refs/heads/main`)
    const memory = watchGitMemory()
    const queued = await send(server, `POST ${project.path}/builds`, project.owner, {})
    expect(queued.json).toMatchObject({ commit_sha: bomb })
    const ended = await project.untilEnded(queued.json.id)
    expect(ended.status).toBe('failed')
    expect(ended.error).toContain('has more than 200,000 files and folders')
    // A push to another branch compares it with the folder.
    await project.copy.git('switch', '--quiet', 'main')
    await project.copy.commit({ 'web/index.html': 'y' })
    expect(await project.push('--force', 'main')).toMatchObject({ code: 0 })
    expect(await memory.stop()).toBeLessThan(300 * MB)
  })

  it('is no work for a clone either, and filters that would walk it are refused', async () => {
    const { copy, repo } = await newCopy()
    await copy.commit({ 'a.txt': 'a' })
    await copy.git('push', 'origin', 'main')
    const bomb = await commitTreeBomb(copy)
    const { dir } = await repositoryOf(repo)
    await copy.git('push', dir, `${bomb}:refs/heads/bomb`)
    const spec = (await copy.git('rev-parse', 'HEAD:a.txt')).stdout.trim()
    const memory = watchGitMemory()
    const mirror = (...options: string[]) =>
      copy.git(
        'clone',
        '--quiet',
        '--bare',
        ...options,
        copy.url,
        path.join(copy.dir, `.git/${options.length}${options[0] ?? ''}`),
      )
    expect(await mirror()).toMatchObject({ code: 0 })
    expect(await mirror('--filter=tree:0')).toMatchObject({ code: 0 })
    expect(await mirror('--filter=blob:none', '--depth=1')).toMatchObject({ code: 0 })
    expect((await mirror(`--filter=sparse:oid=${spec}`)).stderr).toContain(
      "filter 'sparse:oid' not supported",
    )
    expect(await memory.stop()).toBeLessThan(128 * MB)
  })
})

describe('refs', () => {
  it('are limited in number for a push and for a repository, and git shows the words', async () => {
    const { copy, owner, repo } = await newCopy()
    const sha = await copy.commit({ 'a.txt': 'a' })
    expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
    const refused = await createRefs(owner.token, repo, sha, 5_001)
    expect(refused).toContain('This push changes 5,001 refs. A push may change 5,000 at most')
    expect((await copy.git('ls-remote', 'origin')).stdout.trim().split('\n')).toHaveLength(2)
    const { dir } = await repositoryOf(repo)
    await packRefs(dir, sha, 20_000)
    const more = await copy.git('push', 'origin', 'main:one-more')
    expect(more.stderr).toContain('The repository would have 20,002 branches and tags.')
    expect(await copy.git('push', 'origin', '--delete', 'refs/many/b1', 'refs/many/b2')).toMatchObject({
      code: 0,
    })
    expect(await copy.git('push', 'origin', 'main:one-more')).toMatchObject({ code: 0 })
  })

  it('count as stored bytes, and are packed when there are many', async () => {
    const { copy, repo } = await newCopy()
    const sha = await copy.commit({ 'a.txt': 'a' })
    await copy.git('push', 'origin', 'main')
    const { id, dir } = await repositoryOf(repo)
    const { repos } = server.running.platform
    await settled(id)
    const before = await repos.size(id)
    makeRefs(dir, sha, 300)
    expect(await repos.size(id)).toBeGreaterThanOrEqual(before + 300 * 4096)
    await repos.tidy(id)
    expect(await repos.size(id)).toBeLessThan(before + 100 * 4096)
  })

  it('below refs/replace are refused, and replace nothing where they are', async () => {
    const { copy, repo } = await newCopy()
    const first = await copy.commit({ 'a.txt': 'a' }, 'first')
    const second = await copy.commit({ 'a.txt': 'b' }, 'second')
    await copy.git('push', 'origin', 'main')
    const refused = await copy.git('push', 'origin', `${second}:refs/replace/${first}`)
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain(`refs/replace/${first} is refused`)
    const { id, dir } = await repositoryOf(repo)
    execFileSync('git', ['--git-dir', dir, 'update-ref', `refs/replace/${first}`, second])
    expect(await server.running.platform.repos.commit(id, first)).toMatchObject({ message: 'first' })
  })
})

it('a name of a ref that ends as the list of refs does hides none of the refs behind it', async () => {
  const { copy, owner, repo } = await newCopy()
  const sha = await copy.commit({ 'a.txt': 'a' })
  await copy.git('push', 'origin', 'main')
  const { dir } = await repositoryOf(repo)
  await packRefs(dir, sha, 20_000)
  // With the two commits before it, each line has 128 bytes, so that none of them is cut between two reads.
  const strange = names(1_000).map(name => `${sha} ${noObject} ${name.padEnd(43, 'x')}\n.`)
  const answer = await pushRefs(owner.token, repo, [...strange, `${noObject} ${sha} refs/heads/hidden`])
  expect(answer).toContain('ng refs/heads/hidden pre-receive hook declined')
  expect((await copy.git('ls-remote', 'origin', 'refs/heads/hidden')).stdout).toBe('')
})

describe('clients that stop in the middle', () => {
  it('of many accounts do not keep others from pushing', async () => {
    const { copy } = await newCopy()
    await copy.commit({ 'a.txt': 'a' })
    const accounts = await Promise.all(Array.from({ length: 9 }, () => newCopy()))
    const stalled = accounts.flatMap(({ owner, repo }) =>
      Array.from({ length: 8 }, () => stalledPush(owner.token, repo)),
    )
    try {
      await Promise.all(
        accounts.map((_, i) => Promise.any(stalled.slice(i * 8, i * 8 + 8).map(({ isHeard }) => isHeard))),
      )
      await eventually(async () => (await copy.git('push', 'origin', 'main')).code === 0)
    } finally {
      for (const { req } of stalled) req.destroy()
    }
  })

  function stalledPush(token: string, repo: string) {
    const req = announcePush(server, token, repo)
    req.on('continue', () => req.write('00'))
    const isHeard = Promise.race([once(req, 'continue'), once(req, 'response')])
    isHeard.catch(() => undefined) // The test ends it.
    return { req, isHeard }
  }

  it('of several accounts that read nothing make room for others', async () => {
    const { copy, owner, repo } = await newCopy()
    await copy.commit({ 'noise.bin': randomBytes(12 * MB) })
    await copy.git('push', 'origin', 'main')
    const head = (await copy.git('rev-parse', 'HEAD')).stdout.trim()
    const team = await Promise.all(
      [owner, await server.account(), await server.account()].map(async each => {
        if (each === owner) return { token: owner.token, repo }
        const theirs = await WorkingCopy.make(server, each.token, `${each.login}/site`)
        onTestFinished(() => theirs.remove())
        await copy.git('push', theirs.url, 'main')
        return { token: each.token, repo: `${each.login}/site` }
      }),
    )
    const deaf = team.flatMap(each => [1, 2, 3].map(() => deafFetch(each.token, each.repo, head)))
    try {
      const another = await newCopy()
      await another.copy.commit({ 'a.txt': 'a' })
      expect(await another.copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
    } finally {
      for (const socket of deaf) socket.destroy()
    }
  })

  function deafFetch(token: string, repo: string, want: string) {
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
    const body = `${line(`want ${want}\n`)}0000${line('done\n')}`
    const socket = connect(server.running.port, '127.0.0.1').pause()
    socket.on('error', () => undefined) // The server or the test ends it.
    socket.write(
      `POST /git/${repo}.git/git-upload-pack HTTP/1.1\r\nHost: 127.0.0.1:${server.running.port}\r\nAuthorization: Basic ${Buffer.from(`x:${token}`).toString('base64')}\r\nContent-Type: application/x-git-upload-pack-request\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    return socket
  }
})

/** The repository on disk, by a branch that only it has. */
async function repositoryOf(repo: string): Promise<{ id: string; dir: string }> {
  const { db } = server.running.platform.store
  const [login, name] = repo.split('/')
  const { id } = await db
    .selectFrom('repositories')
    .innerJoin('accounts', 'accounts.id', 'repositories.account_id')
    .select('repositories.id')
    .where('accounts.login', '=', login!)
    .where('repositories.name', '=', name!)
    .executeTakeFirstOrThrow()
  return { id, dir: path.join(server.dataDir, 'git', `${id}.git`) }
}

/** A push is answered before its repository is tidied. The size is noted after that. */
async function settled(id: string): Promise<void> {
  const { db } = server.running.platform.store
  const row = () =>
    db.selectFrom('repositories').select('stored_bytes').where('id', '=', id).executeTakeFirstOrThrow()
  await eventually(async () => ((await row()).stored_bytes ?? 0) > 0)
}

const noObject = '0'.repeat(40)

const createRefs = (token: string, repo: string, sha: string, count: number): Promise<string> =>
  pushRefs(
    token,
    repo,
    names(count).map(name => `${noObject} ${sha} ${name}`),
  )

/** Sends the request of a push by hand: the client of git takes minutes to match many refs, and sends no strange ones. */
async function pushRefs(token: string, repo: string, changes: readonly string[]): Promise<string> {
  const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
  const commands = changes.map((change, i) =>
    line(`${change}${i === 0 ? '\0report-status delete-refs side-band-64k' : ''}\n`),
  )
  const pack = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  const checksum = createHash('sha1').update(pack).digest()
  const answer = await server.request(`/git/${repo}.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
    body: Buffer.concat([Buffer.from(`${commands.join('')}0000`), pack, checksum]),
  })
  return answer.text
}

/** Each is a file. */
function makeRefs(dir: string, sha: string, count: number): void {
  const input = names(count).map(name => `create ${name} ${sha}\n`)
  execFileSync('git', ['update-ref', '--stdin'], { cwd: dir, input: input.join('') })
}

/** All are in one file. */
async function packRefs(dir: string, sha: string, count: number): Promise<void> {
  const lines = [
    '# pack-refs with: peeled fully-peeled sorted ',
    ...names(count).map(name => `${sha} ${name}`),
    '',
  ]
  await writeFile(path.join(dir, 'packed-refs'), lines.join('\n'))
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `refs/many/b${i}`).sort()
