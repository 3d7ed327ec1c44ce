import { randomBytes } from 'node:crypto'
import { unchangedPath } from '@svc/contract/site'
import { describe, expect, it } from 'vitest'
import { removeExpiredParts } from '../core/deployments/parts.ts'
import type { Entries } from '../testing/archives.ts'
import {
  breakOffUpload,
  type DeltaProject,
  listOf,
  newDeltaProject,
  sha256,
} from '../testing/delta-uploads.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
  const newProject = () => newDeltaProject(server())

  describe('the question which files are missing', () => {
    it('is answered from the deployments of the same project alone', async () => {
      const [project, other] = [await newProject(), await newProject()]
      await project.upload([['index.html', 'one']])
      await project.upload([['index.html', 'two']])
      await other.upload([['index.html', 'of another tenant']])
      expect(await project.missing('one', 'two', 'three', 'of another tenant')).toEqual([
        sha256('three'),
        sha256('of another tenant'),
      ])
    })

    it('is refused to strangers, and for what is not a list of hashes', async () => {
      const project = await newProject()
      const stranger = await server().account()
      const ask = (who: { token: string } | undefined, body: unknown) =>
        send(server(), `POST ${project.deployments}/missing`, who, body)
      expect(refusal(await ask(stranger, { sha256: [] }))).toBe('404 not_found')
      expect(refusal(await ask(undefined, { sha256: [] }))).toBe('401 unauthorized')
      for (const body of [{}, { sha256: 'x' }, { sha256: ['x'] }, { sha256: [sha256('a').toUpperCase()] }])
        expect(refusal(await ask(project.owner, body))).toBe('400 invalid_request')
      const tooMany = Array.from({ length: 10_001 }, () => sha256(''))
      expect(refusal(await ask(project.owner, { sha256: tooMany }))).toBe('400 invalid_request')
    })

    it('takes 10,000 hashes', async () => {
      const project = await newProject()
      await project.upload([['index.html', '7']])
      const contents = Array.from({ length: 10_000 }, (_, n) => String(n))
      expect(await project.missing(...contents)).toHaveLength(9_999)
    })
  })

  describe('an upload that leaves out what the platform has', () => {
    it('publishes a whole site', async () => {
      const project = await newProject()
      const large = randomBytes(1_500_000)
      const kept: Entries = [
        ['a.txt', 'kept'],
        ['large.bin', large],
        ['folder/same.txt', 'kept'],
        ['empty.txt', ''],
      ]
      await project.upload([['index.html', 'one'], ...kept])
      const { status, json } = await project.upload([listOf(kept), ['index.html', 'two']])
      expect(status).toBe(201)
      expect(await project.page('/')).toBe('two')
      expect(await project.page('/a.txt')).toBe('kept')
      expect(await project.page('/folder/same.txt')).toBe('kept')
      expect(await project.page('/empty.txt')).toBe('')
      expect(await project.page(`/${unchangedPath}`)).toBe('404')
      const { body } = await server().request('/large.bin', { host: `${project.name}.localhost` })
      expect(sha256(body)).toBe(sha256(large))
      const { file_count, size_bytes } = (
        await send(server(), `GET ${project.deployments}/${json.deployment_id}`, project.owner)
      ).json
      expect([file_count, size_bytes]).toEqual([5, 3 + 4 + 4 + 1_500_000])
    })

    it('may move and copy files, and what it brings wins over what it lists', async () => {
      const project = await newProject()
      await project.upload([
        ['index.html', 'home'],
        ['old.txt', 'moved'],
      ])
      const list = listOf([
        ['index.html', 'home'],
        ['new.txt', 'moved'],
        ['./copy.txt', 'moved'],
      ])
      expect((await project.upload([list, ['index.html', 'brought']])).status).toBe(201)
      expect(await project.page('/')).toBe('brought')
      expect(await project.page('/new.txt')).toBe('moved')
      expect(await project.page('/copy.txt')).toBe('moved')
      expect(await project.page('/old.txt')).toBe('404')
    })

    it('is refused if the platform lacks a file, and what was live stays live', async () => {
      const [project, other] = [await newProject(), await newProject()]
      await other.upload([['index.html', 'secret of another tenant']])
      await project.upload([['index.html', 'live']])
      const before = await project.packs()
      const stolen = await project.upload([listOf([['index.html', 'secret of another tenant']])])
      expect(refusal(stolen)).toBe('409 files_missing')
      expect(await project.page('/')).toBe('live')
      expect(await project.packs()).toEqual(before)
    })

    it('is refused if the deployment that had the file is deleted meanwhile', async () => {
      const project = await newProject()
      const { json } = await project.upload([['index.html', 'old']])
      await project.upload([['index.html', 'new']])
      expect(await project.missing('old')).toEqual([])
      await send(server(), `DELETE ${project.deployments}/${json.deployment_id}`, project.owner)
      expect(refusal(await project.upload([listOf([['index.html', 'old']])]))).toBe('409 files_missing')
    })

    it('is held to the rules of every upload', async () => {
      const project = await newProject()
      await project.upload([['index.html', 'live']])
      const many = Array.from({ length: 10_000 }, (_, n): Entries[number] => [`${n}.txt`, 'live'])
      const hostile: Entries[] = [
        [[unchangedPath, 'no JSON']],
        [[unchangedPath, '{"files":[["a",null]]}']],
        [[unchangedPath, '{"files":{"a":"b"}}']],
        [[unchangedPath, JSON.stringify({ files: [['index.html', sha256('live'), 1]] })]],
        [listOf([['../outside', 'live']])],
        [listOf([['/absolute', 'live']])],
        [listOf([['a\u0000b', 'live']])],
        [listOf([['index.html', 'live']]), listOf([])],
        [listOf(many), ['one-more.txt', '']],
        [listOf([...many, ['one-more.txt', 'live']])],
        [listOf([])],
      ]
      for (const entries of hostile)
        expect(refusal(await project.upload([...entries]))).toBe('400 invalid_archive')
      expect(await project.page('/')).toBe('live')
    })
  })

  describe('an upload that breaks off', () => {
    /** The first megabyte that is written holds `small.txt` whole. */
    const small = randomBytes(300_000)
    const large = randomBytes(4_000_000)
    const files: Entries = [
      ['small.txt', small],
      ['large.bin', large],
    ]

    const breakOff = (project: DeltaProject, entries: Entries) => breakOffUpload(server(), project, entries)

    it('goes on with the files that have not arrived', async () => {
      const project = await newProject()
      await breakOff(project, [listOf([]), ...files])
      expect(await project.missing(small, large)).toEqual([sha256(large)])
      const resumed = await project.upload([listOf([['small.txt', small]]), ['large.bin', large]])
      expect(resumed.status).toBe(201)
      const { body } = await server().request('/small.txt', { host: `${project.name}.localhost` })
      expect(sha256(body)).toBe(sha256(small))
    })

    it('starts anew after an hour, when what had arrived is removed', async () => {
      const project = await newProject()
      await breakOff(project, [listOf([]), ...files])
      const { json } = await send(server(), `GET ${project.deployments}?status=failed`, project.owner)
      const pack = `${json.deployments[0].id}.pack`
      expect(await project.packs()).toContain(pack)
      server().clock.advance(3_600_001)
      expect(await project.missing(small)).toEqual([sha256(small)])
      await removeExpiredParts(server().running.platform)
      expect(await project.packs()).not.toContain(pack)
    })

    it('leaves nothing behind if it lists no files', async () => {
      const project = await newProject()
      const before = await project.packs()
      await breakOff(project, files)
      expect(await project.missing(small)).toEqual([sha256(small)])
      expect(await project.packs()).toEqual(before)
    })
  })
})
