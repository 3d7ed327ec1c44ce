import { copyFile, open, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { S3Server } from '../../testing/s3-server.ts'
import { at, call, deploy, svcd, useDirectory, whileServing } from './testbed.ts'

useDirectory()

const page = 'a page that is right'
const site = { host: 'blog.localhost' }

/** A platform with one site. Returns the id of its deployment. */
async function makePlatform(data: string, env = {}): Promise<string> {
  const token = (await svcd(data, ['users', 'create', 'ada', '--token'], env)).stdout.trim()
  let id = ''
  await whileServing(
    data,
    async port => {
      const json = { token, type: 'application/json' }
      await call(port, '/projects', { ...json, method: 'POST', body: '{"name":"blog"}' })
      id = await deploy(port, token, 'blog', page)
    },
    env,
  )
  return id
}

/** Changes one byte of the page. */
async function flip(file: string): Promise<void> {
  const bytes = await readFile(file)
  bytes.write('w', bytes.indexOf('right'))
  await writeFile(file, bytes)
}

const doctorOn = async (data: string) =>
  (await svcd(data, ['doctor'])).stdout.split('\n').filter(line => /deployments|database/.test(line))

test('a deployment whose files changed on the disk is not served, and doctor and backup name it', async () => {
  await svcd('flipped', ['migrate'], {})
  const id = await makePlatform('flipped')
  const file = at('flipped', 'packs', `${id}.pack`)
  expect(await doctorOn('flipped')).toContainEqual(expect.stringMatching(/^ok {4}deployments: \d packs/))
  await copyFile(file, at('whole.pack'))
  await flip(file)
  await whileServing('flipped', async port => {
    const answer = await call(port, '/', site)
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(answer.text).not.toContain('a page that is')
    const backup = await svcd('flipped', ['backup', at('damaged.tar')])
    expect(backup).toMatchObject({ code: 1, stdout: expect.stringContaining('Wrote') })
    expect(backup.stderr).toContain(`${id}: index.html do`)
  })
  expect(await doctorOn('flipped')).toContainEqual(expect.stringContaining(`${id} (index.html do`))
  await truncate(file, 100)
  expect(await doctorOn('flipped')).toContainEqual(expect.stringContaining(`${id} (The pack is damaged`))
  expect((await svcd('flipped', ['backup', at('cut.tar')])).code).toBe(1)
  await copyFile(at('whole.pack'), file)
  expect(await svcd('flipped', ['backup', at('whole.tar')])).toMatchObject({ code: 0, stderr: '' })
})

test('a damaged database is found by doctor and backup', async () => {
  await svcd('database', ['migrate'], {})
  await makePlatform('database')
  const file = at('database', 'svc.db')
  const { size } = await stat(file)
  const handle = await open(file, 'r+')
  // Some pages in the middle, without their headers.
  for (let page = 20; page * 4096 < size && page < 60; page += 4)
    await handle.write(Buffer.alloc(64, 0xff), 0, 64, page * 4096)
  await handle.close()
  expect(await doctorOn('database')).toContainEqual(expect.stringMatching(/^FAIL {2}database: .*is damaged/))
  expect((await svcd('database', ['backup', at('database.tar')])).code).toBe(1)
})

test('a backup names what is damaged in the bucket', async () => {
  const s3 = await S3Server.start()
  try {
    const env = { SVCD_STORAGE_URL: s3.storageUrl }
    await svcd('far', ['migrate'], env)
    const id = await makePlatform('far', env)
    const object = s3.objects.get(`deep/er/${id}.pack`)!
    object.bytes.write('w', object.bytes.indexOf('right'))
    const backup = await svcd('far', ['backup', at('far.tar')], env)
    expect(backup).toMatchObject({ code: 1, stderr: expect.stringContaining(`${id}: index.html do`) })
  } finally {
    await s3.stop()
  }
})
