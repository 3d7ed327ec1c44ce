import { createHash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tarEnd, tarHeader, tarPadding } from '@svc/contract/site'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ProjectDescription } from '../../core/projects/archive/shape.ts'
import { encodeIndex } from '../../ports/packs/pack-index.ts'
import { archiveOf } from '../../testing/archives.ts'
import { WorkingCopy } from '../../testing/git.ts'
import { freshPostgres } from '../../testing/postgres.ts'
import { at, call, deploy, type Env, svcd, useDirectory, whileServing } from '../backup/testbed.ts'

useDirectory()

const pages = { 'index.html': '<h1>second</h1>', 'deep/är/data.bin': Buffer.from([0, 255, 10, 13, 0]) }

let first: string
beforeAll(async () => {
  await svcd('from', ['migrate'])
  const token = (await svcd('from', ['users', 'create', 'ada', '--token'])).stdout.trim()
  await whileServing('from', async port => {
    const json = { token, type: 'application/json' }
    await call(port, '/projects', { ...json, method: 'POST', body: '{"name":"blog"}' })
    await call(port, '/projects/blog/env/KEY', { ...json, method: 'PUT', body: '{"value":"s3cr3t"}' })
    const hidden = '{"value":"hidden","secret":true,"environments":["production"]}'
    await call(port, '/projects/blog/env/HIDDEN', { ...json, method: 'PUT', body: hidden })
    first = await deploy(port, token, 'blog', 'first')
    const upload = { token, method: 'POST', body: archiveOf(pages), type: 'application/gzip' }
    expect((await call(port, '/projects/blog/deployments', upload)).status).toBe(201)
    const preview = { ...upload, body: archiveOf({ 'index.html': 'a preview' }) }
    expect((await call(port, '/projects/blog/deployments?branch=next', preview)).status).toBe(201)
    const add = (path: string, body: object, method = 'POST') =>
      call(port, path, { ...json, method, body: JSON.stringify(body) })
    await add('/projects/blog/crons', { schedule: '5 4 * * *', path: '/tidy', method: 'POST' })
    await add('/projects/blog/domains', { domain: 'blog.example' })
    await add('/projects/blog/domains', { domain: 'www.blog.example', branch: 'next' })
    await add('/projects/blog/domains/blog.example', { primary: true }, 'PUT')
    const submission = { host: 'blog.localhost', type: 'application/json', method: 'POST', body: '{"a":"b"}' }
    expect((await call(port, '/_svc/forms/contact', submission)).status).toBe(200)
    await add('/projects/blog/forms/contact', { notify: 'on', retention_days: 30 }, 'PATCH')
    expect(await svcd('from', ['backup', at('platform.tar')])).toMatchObject({ code: 0 })
    expect(await svcd('from', ['export', 'project', 'blog', at('blog.tar')])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('keep it private'),
    })
  })
})

/** A platform with one account. */
async function newPlatform(data: string, env: Env = {}): Promise<string> {
  await svcd(data, ['migrate'], env)
  return (await svcd(data, ['users', 'create', 'bob', '--token'], env)).stdout.trim()
}

interface Deployment {
  id: string
  status: string
  created_at: string
}

const deploymentsOf = async (port: number, token: string): Promise<Deployment[]> =>
  JSON.parse((await call(port, '/projects/blog/deployments', { token })).text).deployments

test('a file with secrets is for its owner alone', async () => {
  expect((await stat(at('blog.tar'))).mode & 0o777).toBe(0o600)
})

test('a project moves from SQLite to PostgreSQL with its files, history and variables, while the platform serves', async () => {
  const database = await freshPostgres()
  onTestFinished(() => database.drop())
  const env = { SVCD_DATABASE_URL: database.url }
  const token = await newPlatform('to', env)
  const site = { host: 'blog.localhost' }
  await whileServing(
    'to',
    async port => {
      expect((await call(port, '/', site)).status).toBe(404)
      const imported = await svcd('to', ['import', 'project', at('blog.tar'), '--owner', 'bob'], env)
      expect([imported.code, imported.stderr]).toEqual([0, ''])
      expect(await call(port, '/', site)).toEqual({ status: 200, text: pages['index.html'] })
      const binary = await call(port, '/deep/%C3%A4r/data.bin', site)
      expect(binary).toEqual({ status: 200, text: pages['deep/är/data.bin'].toString() })
      expect(await call(port, '/', { host: 'next--blog.localhost' })).toMatchObject({ text: 'a preview' })

      const listed = await deploymentsOf(port, token)
      expect(listed.map(({ status }) => status)).toEqual(['branch', 'live', 'superseded'])
      const oldest = listed[2]!
      expect(oldest.id).not.toBe(first)
      const activate = `/projects/blog/deployments/${oldest.id}/activate`
      expect((await call(port, activate, { token, method: 'POST' })).status).toBe(200)
      expect(await call(port, '/', site)).toEqual({ status: 200, text: 'first' })

      const { text } = await call(port, '/projects/blog/env', { token })
      expect(JSON.parse(text).env).toMatchObject([
        { key: 'HIDDEN', value: null, secret: true, environments: ['production'] },
        { key: 'KEY', value: 's3cr3t' },
      ])
      const about = async (what: string) =>
        JSON.parse((await call(port, `/projects/blog${what}`, { token })).text)
      expect((await about('/crons')).crons).toMatchObject([
        { schedule: '5 4 * * *', path: '/tidy', method: 'POST', enabled: true, last_run_at: null },
      ])
      expect((await about('')).domains).toMatchObject([
        { domain: 'blog.example', branch: null, primary: true },
        { domain: 'www.blog.example', branch: 'next', deployment_id: listed[0]!.id },
      ])
      expect((await about('/forms')).forms).toMatchObject([
        { name: 'contact', notify: 'on', retention_days: 30, submissions: 0 },
      ])
      await deploy(port, token, 'blog', 'third')
      expect(await call(port, '/', site)).toEqual({ status: 200, text: 'third' })
    },
    env,
  )
})

test('the git repository and the lock of production move with a project, and pushes to the new place are built', async () => {
  await svcd('forge', ['migrate'])
  const token = (await svcd('forge', ['users', 'create', 'ada', '--token'])).stdout.trim()
  const json = { token, type: 'application/json' }
  let head = ''
  await whileServing('forge', async port => {
    const post = (path: string, body: object) =>
      call(port, path, { ...json, method: 'POST', body: JSON.stringify(body) })
    await post('/projects', { name: 'pushed' })
    await post('/projects/pushed/repo', { repo: 'ada/source', root_dir: 'web' })
    const copy = await WorkingCopy.of(`http://git:${token}@127.0.0.1:${port}/git/ada/source.git`)
    onTestFinished(() => copy.remove())
    await copy.commit({ 'web/index.html': 'one' })
    head = await copy.commit({ 'web/index.html': 'two' })
    await copy.git('tag', '-a', 'v1', '-m', 'the first')
    expect(await copy.git('push', 'origin', 'main', 'main:next', 'v1')).toMatchObject({ code: 0 })
    const lock = { ...json, method: 'PUT' }
    expect(await call(port, '/projects/pushed/production-lock', lock)).toMatchObject({ status: 200 })
  })
  const exported = await svcd('forge', ['export', 'project', 'pushed', at('pushed.tar')])
  expect([exported.code, exported.stderr]).toEqual([0, ''])

  const bob = await newPlatform('forged')
  const arguments_ = ['import', 'project', at('pushed.tar'), '--owner', 'bob']
  const imported = await svcd('forged', arguments_)
  expect([imported.code, imported.stderr]).toEqual([0, ''])
  await whileServing('forged', async port => {
    const about = JSON.parse((await call(port, '/projects/pushed', { token: bob })).text)
    expect(about).toMatchObject({ production_lock: { by: null } })
    const repo = JSON.parse((await call(port, '/projects/pushed/repo', { token: bob })).text)
    expect(repo).toMatchObject({ repo: 'bob/source', branch: 'main', root_dir: 'web', forge: 'builtin' })
    const builds = async () =>
      JSON.parse((await call(port, '/projects/pushed/builds', { token: bob })).text).builds
    expect(await builds()).toEqual([])
    const copy = await WorkingCopy.of(`http://git:${bob}@127.0.0.1:${port}/git/bob/source.git`)
    onTestFinished(() => copy.remove())
    expect(await copy.git('pull', '--tags', 'origin', 'main')).toMatchObject({ code: 0 })
    expect((await copy.git('rev-parse', 'HEAD', 'v1^{commit}')).stdout).toBe(`${head}\n${head}\n`)
    expect((await copy.git('ls-remote', 'origin', 'refs/heads/next')).stdout).toContain(head)
    await copy.commit({ 'web/index.html': 'three' })
    expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
    expect(await builds()).toHaveLength(1)
  })

  const again = await svcd('forged', [...arguments_, '--name', 'other'])
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('bob/source exists already')])
})

test('a domain that waits for proof where proof is asked for is not served before, and one of another project stays', async () => {
  const env = { SVCD_DOMAIN_PROOF: 'always' }
  const token = await newPlatform('proving', env)
  const twice = ['import', 'project', at('blog.tar'), '--owner', 'bob']
  expect((await svcd('proving', twice, env)).stderr).toBe('')
  const again = await svcd('proving', [...twice, '--name', 'other'], env)
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('blog.example cannot be attached')])
  await whileServing(
    'proving',
    async port => {
      const { text } = await call(port, '/projects/blog', { token })
      expect(JSON.parse(text).domains).toMatchObject([{ verified: false }, { verified: false }])
      expect((await call(port, '/', { host: 'blog.example' })).status).toBe(404)
      const other = await call(port, '/projects/other', { token })
      expect(JSON.parse(other.text).domains).toEqual([])
    },
    env,
  )
})

test('one project comes back from a backup of the whole platform, beside the newer one', async () => {
  await svcd('again', ['restore', at('platform.tar')])
  const token = (await svcd('again', ['users', 'create', 'eve', '--token'])).stdout.trim()
  await whileServing('again', async port => {
    const taken = await svcd('again', [
      'export',
      'project',
      'blog',
      at('old.tar'),
      '--from',
      at('platform.tar'),
    ])
    expect([taken.code, taken.stderr]).toEqual([0, ''])
    const imported = await svcd('again', [
      'import',
      'project',
      at('old.tar'),
      '--owner',
      'eve',
      '--name',
      'old',
    ])
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('cannot be attached')])
    expect(await call(port, '/', { host: 'old.localhost' })).toMatchObject({ text: pages['index.html'] })
    expect((await call(port, '/projects/old/env', { token })).text).toContain('s3cr3t')
  })
  expect((await readdir(at('again'))).filter(name => name.includes('export'))).toEqual([])
})

test('a name that is taken, an owner that is missing and a file that exists are said, and nothing changes', async () => {
  await newPlatform('taken')
  const twice = ['import', 'project', at('blog.tar'), '--owner', 'bob']
  expect((await svcd('taken', ['import', 'project', at('blog.tar')])).stderr).toContain("no org 'ada'")
  expect((await svcd('taken', twice)).code).toBe(0)
  expect((await svcd('taken', twice)).stderr).toContain("The name 'blog' is taken")
  expect((await svcd('taken', [...twice, '--name', 'blog2'])).code).toBe(0)
  const again = await svcd('from', ['export', 'project', 'blog', at('blog.tar')])
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')])
  expect((await svcd('from', ['export', 'project', 'nothing', at('no.tar')])).stderr).toContain(
    "There is no project 'nothing'",
  )
})

interface Entry {
  name: string
  bytes: Buffer
}

function entriesOf(archive: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let offset = 0; archive[offset] !== 0; ) {
    const name = archive.toString('utf8', offset, archive.indexOf(0, offset))
    const size = Number.parseInt(archive.toString('latin1', offset + 124, offset + 135), 8)
    entries.push({ name, bytes: archive.subarray(offset + 512, offset + 512 + size) })
    offset += 512 + Math.ceil(size / 512) * 512
  }
  return entries
}

/** An archive whose checksum is right, as its author can make it. */
function archived(all: Entry[]): Buffer {
  const [manifest, ...entries] = all
  const pack = ({ name, bytes }: Entry) =>
    Buffer.concat([tarHeader({ path: name, size: bytes.length }), bytes, tarPadding(bytes.length)])
  const rest = Buffer.concat([...entries.map(pack), tarEnd()])
  const sha256 = createHash('sha256').update(rest).digest('hex')
  const about = { ...JSON.parse(manifest!.bytes.toString()), files: entries.length, sha256 }
  const bytes = Buffer.from(`${JSON.stringify(about).padEnd(511)}\n`)
  return Buffer.concat([pack({ name: manifest!.name, bytes }), rest])
}

const repository = {
  ...{ name: 'source', head: 'main', branch: 'main', refs: [] as object[], previews: true },
  ...{ build_cmd: null, install_cmd: null, output_dir: null, root_dir: null },
}

describe('a hostile archive is refused, and leaves no project behind:', () => {
  let entries: Entry[]
  beforeAll(async () => {
    await newPlatform('safe')
    entries = entriesOf(await readFile(at('blog.tar')))
  })

  const described = (change: (description: ProjectDescription & Record<string, unknown>) => void) => () =>
    entries.map(entry => {
      if (entry.name !== 'project.json') return entry
      const description = JSON.parse(entry.bytes.toString())
      change(description)
      return { ...entry, bytes: Buffer.from(JSON.stringify(description)) }
    })

  const withPack = (change: (bytes: Buffer) => Buffer) => () =>
    entries.map(entry =>
      entry.name.startsWith('packs/') ? { ...entry, bytes: change(Buffer.from(entry.bytes)) } : entry,
    )

  const cases: Record<string, () => Entry[] | Buffer> = {
    'a path out of the archive': () => [...entries, { name: '../escape', bytes: Buffer.from('x') }],
    'a file of a whole backup': () => [...entries, { name: 'secret.key', bytes: Buffer.from('x') }],
    'the same file twice': () => [...entries, entries[1]!],
    'a deployment without files': () => entries.filter((_, i) => i !== 1),
    'files without a deployment': described(all => all.deployments.pop()),
    'an unknown field': described(all => Object.assign(all, { admin: true })),
    'a repository whose name leads elsewhere': described(all =>
      Object.assign(all, { repository: { ...repository, name: '../x' } }),
    ),
    'a ref that is no branch and no tag': described(all =>
      Object.assign(all, {
        repository: { ...repository, refs: [{ ref: 'refs/replace/x', sha: 'a'.repeat(40) }] },
      }),
    ),
    'a field of another kind': described(all => Object.assign(all.env[0]!, { value: 7 })),
    'a variable of the platform': described(all => Object.assign(all.env[0]!, { key: 'PORT' })),
    'a scheduled job out of the site': described(all =>
      Object.assign(all.crons[0]!, { path: '//evil.example' }),
    ),
    'a form that writes to more than one': described(all =>
      Object.assign(all.forms[0]!, { notify: 'a@a.example\r\nbcc: b@b.example' }),
    ),
    'two live deployments': described(all => {
      for (const each of all.deployments) each.status = 'live'
    }),
    'a password without a hash': described(all => Object.assign(all.access, { mode: 'password' })),
    'a hash that takes all memory': described(all =>
      Object.assign(all.access, {
        mode: 'password',
        password_hash: `scrypt$9999999$99$9$${'a'.repeat(22)}$${'a'.repeat(43)}`,
      }),
    ),
    'a description that is no JSON': () =>
      entries.map(entry => (entry.name === 'project.json' ? { ...entry, bytes: Buffer.from('{') } : entry)),
    'files that do not match their checksums': withPack(bytes => {
      bytes[0]! ^= 1
      return bytes
    }),
    'files with a path out of their directory': withPack(() => {
      const content = Buffer.from('#!/bin/sh')
      const sha256 = createHash('sha256').update(content).digest().toString('latin1')
      const entry = { path: '../../run.sh', offset: 0, size: content.length, sha256 }
      return Buffer.concat([content, encodeIndex([entry], content.length)])
    }),
    'files without an index': withPack(bytes => bytes.subarray(0, 20)),
    'a size that no disk holds': () =>
      Buffer.concat([
        archived(entries).subarray(0, 1024),
        tarHeader({ path: 'packs/dep_aaaaaaaaaaaaaaaa.pack', size: 8 * 1024 ** 3 - 1 }),
      ]),
    'an archive that was cut off': () => archived(entries).subarray(0, 3000),
    'a whole backup': () =>
      entries.map((entry, i) => (i === 0 ? { ...entry, name: 'svcd-backup.json' } : entry)),
  }

  test.each(Object.entries(cases))('%s', async (_, make) => {
    const made = make()
    await writeFile(at('hostile.tar'), Buffer.isBuffer(made) ? made : archived(made))
    const refused = await svcd('safe', ['import', 'project', at('hostile.tar'), '--owner', 'bob'])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/archive|not a project|files|path: must/),
    ])
    expect(refused.stderr).not.toMatch(/fault of the program/)
  })

  test('the archive as it was written is taken: the name is still free', async () => {
    await writeFile(at('whole.tar'), archived(entries))
    const taken = await svcd('safe', ['import', 'project', at('whole.tar'), '--owner', 'bob'])
    expect([taken.code, taken.stderr]).toEqual([0, ''])
  })
})

test('a restore refuses the archive of a project', async () => {
  const { code, stderr } = await svcd('other', ['restore', at('blog.tar')])
  expect([code, stderr]).toEqual([1, expect.stringContaining('is not a backup of svcd')])
})
