import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { S3Packs } from '../../ports/packs/s3/packs.ts'
import { readS3Url } from '../../ports/packs/s3/url.ts'
import { S3Server } from '../../testing/s3-server.ts'
import { copyBucket, copyPack } from './bucket-copies.ts'
import { packFile } from './format.ts'
import { archiveFile, readArchive } from './read-archive.ts'
import { at, useDirectory } from './testbed.ts'
import { ArchiveWriter } from './write-archive.ts'

useDirectory()

let s3: S3Server
let packs: S3Packs
beforeEach(async () => {
  s3 = await S3Server.start()
  packs = new S3Packs(readS3Url(s3.storageUrl, undefined), at('notes'))
})
afterEach(async () => {
  await packs.close()
  await s3.stop()
})

const keyOf = (id: string): string => `deep/er/${id}.pack`

async function upload(...ids: string[]): Promise<void> {
  for (const id of ids) {
    const sink = await packs.create(id)
    await sink.write(Buffer.from(`files of ${id}`))
    await sink.commit()
  }
}

/** Copies the bucket, and reads the packs of the archive again. `snapshots` returns what each snapshot names. */
async function copied(name: string, snapshots: () => Promise<string[]>) {
  const archive = await ArchiveWriter.create(at(`${name}.tar`))
  const damaged = new Map<string, string>()
  const copy = (id: string) =>
    copyPack({ packs, damaged }, id, (size, content) => archive.add(packFile(id), size, content()))
  const missing = await copyBucket({ packs, copy, atOnce: 1 }, snapshots)
  await archive.add('svc.db', 1, chunks('x'))
  await archive.finish({ format: 1, svcd: '', created_at: '', has_key: false })
  await archive.close()
  const { packIds } = await readArchive(archiveFile(at(`${name}.tar`)), at(name), true)
  for (const id of packIds)
    expect(await readFile(at(name, 'packs', `${id}.pack`), 'utf8')).toBe(`files of ${id}`)
  return { missing, packIds: packIds.sort() }
}

async function* chunks(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

test('a backup has the deployments that are uploaded while it copies', async () => {
  await upload('dep_a', 'dep_a.z')
  const result = await copied('uploaded', async () => {
    await upload('dep_b')
    return ['dep_a', 'dep_b']
  })
  expect(result).toEqual({ missing: [], packIds: ['dep_a', 'dep_a.z', 'dep_b'] })
})

test('a backup has what the snapshot names, also if it is deleted right afterwards', async () => {
  await upload('dep_a', 'dep_b')
  const result = await copied('deleted', async () => {
    await packs.delete('dep_a')
    return ['dep_a', 'dep_b']
  })
  expect(result).toEqual({ missing: [], packIds: ['dep_a', 'dep_b'] })
})

test('a deployment that is deleted before it is copied needs a newer snapshot', async () => {
  await upload('dep_a')
  let taken = 0
  const result = await copied('newer', async () => {
    // Another one went live and was deleted between the first copy and the second.
    if (++taken === 1) return ['dep_a', 'dep_gone']
    await upload('dep_next')
    return ['dep_a', 'dep_next']
  })
  expect(result).toEqual({ missing: [], packIds: ['dep_a', 'dep_next'] })
  expect(taken).toBe(2)
})

test('a deployment that is deleted while it is read leaves no trace in the archive', async () => {
  await upload('dep_a', 'dep_b', 'dep_c')
  s3.mishap = ({ method, key }) => {
    if (method === 'GET' && key === keyOf('dep_b')) s3.objects.delete(key)
    return undefined
  }
  const result = await copied('while-read', async () => ['dep_a', 'dep_c'])
  expect(result).toEqual({ missing: [], packIds: ['dep_a', 'dep_c'] })
})

test('a deployment that the storage has lost does not prevent the backup', async () => {
  await upload('dep_a')
  const result = await copied('lost', async () => ['dep_a', 'dep_lost'])
  expect(result).toEqual({ missing: ['dep_lost'], packIds: ['dep_a'] })
})

test('an object that cannot be read ends the backup', async () => {
  await upload('dep_a')
  s3.mishap = ({ method, key }) => (method === 'GET' && key === keyOf('dep_a') ? 403 : undefined)
  await expect(copied('unreadable', async () => ['dep_a'])).rejects.toThrow('403')
})
