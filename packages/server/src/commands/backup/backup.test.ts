import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { archiveOf } from '../../testing/archives.ts'
import { WorkingCopy } from '../../testing/git.ts'
import { makeTar } from '../../testing/make-tar.ts'

const binary = fileURLToPath(new URL('../../../bin/svcd.js', import.meta.url))

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svc-backup-'))
})
afterAll(() => rm(dir, { recursive: true }))

const at = (name: string): string => path.join(dir, name)

function svcd(data: string, args: string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>(resolve => {
    const options = { env: { PATH: process.env.PATH, SVCD_DATA_DIR: at(data), ...env } }
    execFile(process.execPath, [binary, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

/** Runs a server on the data directory while `use` works with it. */
async function whileServing(data: string, use: (port: number) => Promise<void>): Promise<void> {
  const env = { PATH: process.env.PATH, SVCD_DATA_DIR: at(data), SVCD_PORT: '0', SVCD_RUNNER: 'process' }
  const server = spawn(process.execPath, [binary, 'start'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(server, 'close')
  try {
    const lines = createInterface(server.stdout)
    const ready = async () => {
      for await (const line of lines)
        if (line.includes('svcd ready')) return /localhost:(\d+)/.exec(line)?.[1]
    }
    await use(Number(await ready()))
  } finally {
    server.kill('SIGTERM')
    await ended
  }
}

interface Call {
  method?: string
  host?: string
  token?: string
  body?: string | Buffer
  type?: string
}

async function call(
  port: number,
  url: string,
  { method = 'GET', host = 'localhost', token, body, type }: Call,
) {
  const headers = {
    host,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(type && { 'content-type': type }),
  }
  const sent = request({ port, host: '127.0.0.1', path: url, method, headers, agent: false }).end(body)
  const [answer] = await once(sent, 'response')
  return { status: answer.statusCode as number, text: await text(answer) }
}

async function workingCopy(port: number, token: string, repo: string): Promise<WorkingCopy> {
  const copy = await WorkingCopy.of(`http://ada:${token}@127.0.0.1:${port}/git/ada/${repo}.git`)
  onTestFinished(() => copy.remove())
  return copy
}

describe('a backup', () => {
  test('that is made while the server runs gives the same platform elsewhere', async () => {
    await svcd('first', ['migrate'])
    const token = (await svcd('first', ['users', 'create', 'ada', '--token'])).stdout.trim()
    const site = { host: 'blog.localhost' }
    await whileServing('first', async port => {
      const json = { token, type: 'application/json' }
      await call(port, '/projects', { ...json, method: 'POST', body: '{"name":"blog"}' })
      await call(port, '/projects/blog/env/KEY', { ...json, method: 'PUT', body: '{"value":"secret"}' })
      const upload = {
        token,
        method: 'POST',
        body: archiveOf({ 'index.html': 'hello' }),
        type: 'application/gzip',
      }
      expect((await call(port, '/projects/blog/deployments', upload)).status).toBe(201)
      const copy = await workingCopy(port, token, 'notes')
      await copy.commit({ 'note.txt': 'kept' })
      // Three branches have names like those of files and directories in a repository.
      const branches = ['main', 'main:objects', 'main:team/packed-refs', 'main:tmp_1']
      expect((await copy.git('push', 'origin', ...branches)).code).toBe(0)
      const empty = { ...json, method: 'POST', body: '{"repo":"ada/empty"}' }
      expect((await call(port, '/projects/blog/repo', empty)).status).toBe(200)
      const made = await svcd('first', ['backup', at('platform.tar')])
      expect([made.code, made.stderr]).toEqual([0, ''])
    })
    expect(await readdir(at('first'))).not.toContain('backup')

    const { code, stdout } = await svcd('second', ['restore', at('platform.tar')])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Restored the platform of 2/)])
    await whileServing('second', async port => {
      expect(await call(port, '/', site)).toEqual({ status: 200, text: 'hello' })
      expect((await call(port, '/projects/blog/env', { token })).text).toContain('"value":"secret"')
      for (const [repo, shown] of [
        ['notes', /refs\/heads\/main\n.*objects\n.*team\/packed-refs\n.*tmp_1\n/],
        ['empty', /^$/],
      ] as const) {
        const copy = await workingCopy(port, token, repo)
        expect(await copy.git('ls-remote', 'origin')).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(shown),
        })
      }
    })
  })

  test('replaces no file and no platform', async () => {
    await svcd('third', ['migrate'])
    await writeFile(at('taken.tar'), 'mine')
    const made = await svcd('third', ['backup', at('taken.tar')])
    expect([made.code, made.stderr]).toEqual([1, expect.stringContaining('taken.tar exists already')])
    expect(await readFile(at('taken.tar'), 'utf8')).toBe('mine')
    expect((await svcd('third', ['backup', at('third.tar')])).code).toBe(0)
    const restored = await svcd('third', ['restore', at('third.tar')])
    expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining('already holds a platform')])
  })

  test('that was cut off, or is something else, is refused and leaves nothing behind', async () => {
    await svcd('fourth', ['migrate'])
    await svcd('fourth', ['backup', at('whole.tar')])
    const whole = await readFile(at('whole.tar'))
    const files = {
      'cut.tar': whole.subarray(0, whole.length / 2),
      // Without its last file and the end blocks.
      'short.tar': whole.subarray(0, whole.lastIndexOf('svc.db\0')),
      'text.tar': Buffer.from('not a backup'),
      'empty.tar': Buffer.alloc(0),
      'outside.tar': makeTar([{ path: 'packs/../../out', content: 'x' }]),
    }
    for (const [name, content] of Object.entries(files)) {
      await writeFile(at(name), content)
      const { code, stderr } = await svcd('fifth', ['restore', at(name)])
      expect([name, code, stderr]).toEqual([
        name,
        1,
        `svcd: ${at(name)} is not a backup of svcd, or it is incomplete.\n`,
      ])
    }
    expect(await readdir(at('fifth'))).toEqual(['svcd.lock'])
    expect((await svcd('fifth', ['restore', at('whole.tar')])).code).toBe(0)
  })

  test('of a platform with its key in the settings is restored with that key only', async () => {
    const key = { SVCD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
    await svcd('sixth', ['migrate'], key)
    const made = await svcd('sixth', ['backup', at('keyless.tar')], key)
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('SVCD_SECRET_KEY')])
    const without = await svcd('seventh', ['restore', at('keyless.tar')])
    expect([without.code, without.stderr]).toEqual([
      1,
      expect.stringContaining('Set the same SVCD_SECRET_KEY'),
    ])
    expect((await svcd('seventh', ['restore', at('keyless.tar')], key)).code).toBe(0)
  })

  test.each([
    [['backup'], 'svcd: Usage: svcd backup <file>\n'],
    [['restore'], 'svcd: Usage: svcd restore <file>\n'],
    [['restore', 'a', 'b'], 'svcd: Usage: svcd restore <file>\n'],
    [['restore', '/nowhere/x.tar'], 'svcd: There is no file /nowhere/x.tar.\n'],
  ])('%j is refused', async (args, stderr) => {
    expect(await svcd('eighth', args)).toEqual({ code: 1, stdout: '', stderr })
  })

  test('of data that PostgreSQL keeps is refused', async () => {
    const env = { SVCD_DATABASE_URL: 'postgres://localhost/x' }
    await svcd('ninth', ['migrate'])
    const { code, stderr } = await svcd('ninth', ['backup', at('pg.tar')], env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('SVCD_DATABASE_URL is set')])
  })
})
