// A second machine joins with a code: it gets the settings and the key, and serves what the first one has.
import { readFile, stat } from 'node:fs/promises'
import { get } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { S3Server } from '@svc/server/dist/testing/s3-server.js'
import { expect, onTestFinished, test } from 'vitest'
import { Machine, type Svcd } from './svcd.ts'

test('a machine that joins with a code serves the sites of the platform, and the code works once', async () => {
  const database = await freshPostgres()
  onTestFinished(database.drop)
  const s3 = await S3Server.start()
  onTestFinished(() => s3.stop())
  const first = await Machine.make({ SVCD_DATABASE_URL: database.url, SVCD_STORAGE_URL: s3.storageUrl })
  const second = await Machine.make()
  const running: Svcd[] = []
  onTestFinished(async () => {
    for (const svcd of running) await svcd.stop('SIGKILL')
    for (const machine of [first, second]) await machine.remove()
  })
  running.push(await first.start())
  const token = await first.token('ada')
  const api = `http://127.0.0.1:${running[0]?.port}`
  const headers = { authorization: `Bearer ${token}` }
  const create = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
  await fetch(`${api}/projects`, { ...create, body: '{"name":"site"}' })
  const deployed = await fetch(`${api}/projects/site/deployments`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/gzip' },
    body: new Uint8Array(archiveOf({ 'index.html': 'hello' })),
  })
  expect(deployed.status).toBe(201)

  const invited = (await first.run('nodes', 'invite')).split(' ')
  expect(invited.slice(0, 2)).toEqual(['svcd', 'join'])
  const code = invited[3] ?? ''
  const config = path.join(second.dataDir, 'svcd.env')
  expect(await second.outcome('join', 'http://example.com', code, '--config', config)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('only fetched over https'),
  })
  expect(await second.outcome('join', api, code, '--config', config)).toMatchObject({ code: 0 })
  expect((await stat(config)).mode & 0o777).toBe(0o600)
  expect(await readFile(config, 'utf8')).toContain(`SVCD_DATABASE_URL=${database.url}`)
  expect(await readFile(config, 'utf8')).not.toContain('SVCD_DATA_DIR')
  expect(await second.outcome('join', api, code, '--config', config)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exists'),
  })
  const again = await second.outcome('join', api, code, '--config', `${config}.2`)
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('works once') })

  second.environment.SVCD_CONFIG = config
  running.push(await second.start())
  const { port } = running[1]!
  const page = await new Promise<string>((resolve, reject) => {
    const visit = { host: '127.0.0.1', port, headers: { host: 'site.localhost' } }
    get(visit, res => text(res).then(resolve, reject)).on('error', reject)
  })
  expect(page).toBe('hello')
  expect((await second.run('nodes', 'list')).split('\n')).toHaveLength(2)
})
