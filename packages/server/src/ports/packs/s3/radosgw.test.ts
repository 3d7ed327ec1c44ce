// The conformance suite against a real S3 server, on machines that have one.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { newId } from '../../../lib/ids.ts'
import { missingForRadosgw, type Radosgw, startRadosgw } from '../../../testing/radosgw.ts'
import { packsConformance } from '../conformance.ts'
import { S3Client, xmlValues } from './client.ts'
import { S3Packs } from './packs.ts'
import { readS3Url } from './url.ts'

const missing = missingForRadosgw()
if (missing) {
  console.warn(`S3 is tested with a stand-in only: ${missing} is not installed.`)
  describe.skip(`the packs of Ceph's radosgw (${missing} is missing)`, () =>
    test('all of it', () => undefined))
} else
  describe("the packs of Ceph's radosgw", () => {
    let ceph: Radosgw
    beforeAll(async () => {
      ceph = await startRadosgw()
      const client = new S3Client(readS3Url(ceph.storageUrl(''), undefined))
      await client.send({ method: 'PUT' })
      client.close()
    })
    afterAll(() => ceph?.stop())

    packsConformance(
      async () => {
        const dir = await mkdtemp(join(tmpdir(), 's3-'))
        onTestFinished(() => rm(dir, { recursive: true }))
        const settings = readS3Url(ceph.storageUrl(newId('dep')), undefined)
        const client = new S3Client(settings)
        onTestFinished(() => client.close())
        const open = () => new S3Packs(settings, join(dir, 'uploads'))
        const keys = async (query: Record<string, string>) =>
          xmlValues((await client.send({ method: 'GET', query })).text, 'Key')
        const leftovers = async () => [
          ...(await keys({ 'list-type': '2', prefix: settings.prefix })),
          ...(await keys({ uploads: '', prefix: settings.prefix })),
          ...(await readdir(join(dir, 'uploads')).catch(() => [])),
        ]
        return { packs: open(), reopen: open, leftovers }
      },
      { openOutlivesDelete: false },
    )
  })
