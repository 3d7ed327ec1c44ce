// Uploads that leave out files, while the deployments that have these files change, and across projects, branches and forks.
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished, test } from 'vitest'
import { deploy } from '../core/deployments/deployments.ts'
import { removeDiscardedPacks } from '../core/projects/removal.ts'
import { findProject } from '../store/projects/projects.ts'
import { type Entries, tarball } from '../testing/archives.ts'
import { breakOffUpload, listOf, newDeltaProject, sha256 } from '../testing/delta-uploads.ts'
import { S3Server } from '../testing/s3-server.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'
import { beginUpload } from '../testing/slow-upload.ts'

onEveryServer(server => {
  const newProject = () => newDeltaProject(server())

  it('of several uploads at the same time, each publishes a whole site', async () => {
    const project = await newProject()
    const shared: Entries = Array.from({ length: 50 }, (_, n) => [`${n}.txt`, `shared ${n}`])
    await project.upload([['index.html', 'first'], ...shared])
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => project.upload([listOf(shared), ['index.html', `number ${n}`]])),
    )
    for (const [n, { status, json }] of answers.entries()) {
      expect(status).toBe(201)
      const { url } = (
        await send(server(), `GET ${project.deployments}/${json.deployment_id}`, project.owner)
      ).json
      const at = new URL(url).hostname
      expect(await project.page('/', at)).toBe(`number ${n}`)
      expect(await project.page('/49.txt', at)).toBe('shared 49')
    }
  })

  it('an upload is refused if the deployment with its files is deleted while the upload runs', async () => {
    const project = await newProject()
    const { json } = await project.upload([['old.txt', 'old']])
    await project.upload([['index.html', 'live']])
    const entries: Entries = [listOf([['old.txt', 'old']]), ['large.bin', randomBytes(500_000)]]
    const upload = beginUpload(server(), project.owner.token, project.deployments, tarball(entries))
    await send(server(), `DELETE ${project.deployments}/${json.deployment_id}`, project.owner)
    expect(await upload.finish()).toMatchObject({ status: 409, json: { error: { code: 'files_missing' } } })
    expect(await project.page('/')).toBe('live')
  })

  it('an upload at the same time as the deletion publishes the whole site or is refused', async () => {
    const project = await newProject()
    const kept: Entries = Array.from({ length: 20 }, (_, n) => [`${n}.txt`, `kept ${n}`])
    for (let round = 0; round < 5; round++) {
      const base = await project.upload([['index.html', `base ${round}`], ...kept.map(ofRound(round))])
      await project.upload([['index.html', 'live']])
      const files = kept.map(ofRound(round))
      const [delta] = await Promise.all([
        project.upload([listOf(files), ['index.html', 'delta']]),
        send(server(), `DELETE ${project.deployments}/${base.json.deployment_id}`, project.owner),
      ])
      if (delta.status === 201) {
        expect(await project.page('/')).toBe('delta')
        for (const [file, content] of files) expect(await project.page(`/${file}`)).toBe(content)
      } else {
        expect(refusal(delta)).toBe('409 files_missing')
        expect(await project.page('/')).toBe('live')
      }
    }
  })

  it('branches and production share their files', async () => {
    const project = await newProject()
    await project.upload([['a.txt', 'of production']])
    const preview = await project.upload(
      [listOf([['a.txt', 'of production']]), ['b.txt', 'of the branch']],
      '?branch=topic',
    )
    expect(preview.status).toBe(201)
    const at = new URL(preview.json.url).hostname
    expect(await project.page('/a.txt', at)).toBe('of production')
    expect(await project.missing('of the branch')).toEqual([])
    expect((await project.upload([listOf([['b.txt', 'of the branch']])])).status).toBe(201)
    expect(await project.page('/b.txt')).toBe('of the branch')
    expect(await project.page('/a.txt')).toBe('404')
  })

  it('code from a fork gets no file of the project by its hash', async () => {
    const project = await newProject()
    await project.upload([['index.html', 'the secret page']])
    const { platform } = server().running
    const row = (await findProject(platform.store.db, project.name))!
    const account = { id: row.account_id!, login: 'owner', forgeId: 0, isAdmin: false }
    const upload = {
      project: row,
      branch: 'stranger:topic',
      fromFork: true,
      gitSha: undefined,
      cliVersion: undefined,
    }
    const archive = tarball([listOf([['stolen.html', 'the secret page']]), ['index.html', 'fork']])
    await expect(
      deploy(platform, { account, ip: '127.0.0.1' }, upload, Readable.from([archive])),
    ).rejects.toMatchObject({ code: 'files_missing' })
  })

  it('another project of the same owner gets no file by its hash', async () => {
    const one = await newProject()
    const two = await newDeltaProject(server(), one.owner)
    await one.upload([['index.html', 'of the first project']])
    await two.upload([['index.html', 'live']])
    expect(await two.missing('of the first project')).toEqual([sha256('of the first project')])
    const stolen = await two.upload([listOf([['index.html', 'of the first project']])])
    expect(refusal(stolen)).toBe('409 files_missing')
  })

  it('a new project with the name of a deleted one gets none of its files, and kept parts are removed', async () => {
    const project = await newProject()
    const small = randomBytes(300_000)
    await project.upload([['index.html', 'of the deleted project']])
    const others = await project.packs()
    await breakOffUpload(server(), project, [
      listOf([]),
      ['small.bin', small],
      ['large.bin', randomBytes(4_000_000)],
    ])
    const ofProject = (await project.packs()).filter(pack => !others.includes(pack))
    expect(ofProject).toHaveLength(1)
    await send(server(), `DELETE /projects/${project.name}`, project.owner, { confirm: project.name })
    const heir = await newDeltaProject(server(), undefined, project.name)
    expect(await heir.missing(small, 'of the deleted project')).toHaveLength(2)
    expect(refusal(await heir.upload([listOf([['index.html', 'of the deleted project']])]))).toBe(
      '409 files_missing',
    )
    await removeDiscardedPacks(server().running.platform)
    expect(await project.packs()).not.toContain(ofProject[0])
  })
})

const ofRound =
  (round: number) =>
  ([file, content]: Entries[number]): Entries[number] => [file, `${content} of round ${round}`]

async function onS3() {
  const s3 = await S3Server.start()
  const server = await TestServer.start('sqlite', {
    SVCD_STORAGE_URL: s3.storageUrl,
    SVCD_LOG_LEVEL: 'silent',
  })
  onTestFinished(async () => {
    await server.remove()
    await s3.stop()
  })
  return { s3, project: await newDeltaProject(server) }
}

test('an upload copies the files that it leaves out on S3, too', async () => {
  const { project } = await onS3()
  const large = randomBytes(1_500_000)
  const kept: Entries = [
    ['a.txt', 'kept'],
    ['large.bin', large],
  ]
  await project.upload([['index.html', 'one'], ...kept])
  expect(await project.missing('kept', large, 'two')).toEqual([sha256('two')])
  expect((await project.upload([listOf(kept), ['index.html', 'two']])).status).toBe(201)
  expect(await project.page('/')).toBe('two')
  expect(await project.page('/a.txt')).toBe('kept')
})

/** The index is read from the end of a pack. The range of its first file begins at the front. */
const reads = {
  'its index': (range: string) => !range.startsWith('bytes=0-'),
  'its files': (range: string) => range.startsWith('bytes=0-'),
}

test.each(Object.entries(reads))(
  'an upload is refused with files_missing if S3 loses the pack before %s can be read',
  async (_, isRead) => {
    const { s3, project } = await onS3()
    const { json } = await project.upload([
      ['old.txt', 'old'],
      ['filling.bin', randomBytes(200_000)],
    ])
    await project.upload([['index.html', 'live']])
    const key = [...s3.objects.keys()].find(name => name.endsWith(`${json.deployment_id}.pack`))!
    s3.mishap = call => {
      if (call.method === 'GET' && call.key === key && isRead(call.headers.range ?? ''))
        s3.objects.delete(key)
      return undefined
    }
    expect(refusal(await project.upload([listOf([['old.txt', 'old']])]))).toBe('409 files_missing')
    expect(await project.page('/')).toBe('live')
    expect(await project.missing('old')).toEqual([sha256('old')])
  },
)
