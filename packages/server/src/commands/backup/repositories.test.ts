import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { WorkingCopy } from '../../testing/git.ts'
import { freshPostgres } from '../../testing/postgres.ts'
import { S3Server } from '../../testing/s3-server.ts'
import { at, type Env, svcd, useDirectory, whileServing } from './testbed.ts'

useDirectory()

async function farPlace(key: string): Promise<Env> {
  const [database, s3] = [await freshPostgres(), await S3Server.start()]
  onTestFinished(() => database.drop())
  onTestFinished(() => s3.stop())
  return { SVCD_DATABASE_URL: database.url, SVCD_STORAGE_URL: s3.storageUrl, SVCD_SECRET_KEY: key }
}

test('a backup that another node makes has the repositories on the storage, wherever it is restored', async () => {
  const key = randomBytes(32).toString('base64')
  const env = await farPlace(key)
  await svcd('one', ['migrate'], env)
  const token = (await svcd('one', ['users', 'create', 'ada', '--token'], env)).stdout.trim()
  const copyAt = async (port: number) => {
    const copy = await WorkingCopy.of(`http://git:${token}@127.0.0.1:${port}/git/ada/site.git`)
    onTestFinished(() => copy.remove())
    return copy
  }
  let tip = ''
  const push = async (port: number) => {
    const copy = await copyAt(port)
    await copy.git('pull', 'origin', 'main')
    tip = await copy.commit({ 'index.html': `${port} ${randomBytes(4).toString('hex')}` })
    expect(await copy.git('push', 'origin', 'main', 'main:refs/tags/v1', '--force')).toMatchObject({
      code: 0,
    })
  }
  await whileServing('one', push, env)
  expect(await svcd('two', ['backup', at('far.tar')], env)).toMatchObject({ code: 0 })
  for (const [data, place] of [
    ['far-again', await farPlace(key)],
    ['near', { SVCD_SECRET_KEY: key }],
  ] as const) {
    expect(await svcd(data, ['restore', at('far.tar')], place)).toMatchObject({ code: 0, stderr: '' })
    await whileServing(
      data,
      async port => {
        const copy = await copyAt(port)
        await eventually(async () => (await copy.git('ls-remote', 'origin')).stdout.includes(tip))
        const before = tip
        await push(port)
        tip = before
      },
      place,
    )
  }
})
