import { describe, expect, test } from 'vitest'
import { procfileApp } from '../../testing/apps.ts'
import { archiveOf } from '../../testing/archives.ts'
import { at, call, svcd, useDirectory, whileServing } from './testbed.ts'

useDirectory()

/** Counts its starts on its disk. */
const counter = `
const file = process.env.SVC_DISK + '/starts'
const fs = require('node:fs')
fs.appendFileSync(file, 'x')
try { fs.symlinkSync('/etc/passwd', process.env.SVC_DISK + '/link') } catch { /* It is there since the start before. */ }
require('node:http').createServer((req, res) => res.end(fs.readFileSync(file, 'utf8') + fs.readlinkSync(process.env.SVC_DISK + '/link')))
  .listen(process.env.PORT, process.env.HOSTNAME)
`

describe('the disk of an app', () => {
  const site = { host: 'shop.localhost' }

  async function addApp(port: number, token: string): Promise<void> {
    const json = { token, type: 'application/json' }
    await call(port, '/projects', { ...json, method: 'POST', body: '{"name":"shop"}' })
    await call(port, '/projects/shop/disk', { ...json, method: 'PUT', body: '{}' })
    const body = archiveOf(procfileApp('shop', counter))
    const upload = { token, method: 'POST', body, type: 'application/gzip' }
    expect((await call(port, '/projects/shop/deployments', upload)).status).toBe(201)
    // The backup takes over what was measured while the app ran.
    for (let measured = ''; !/"measured_at":"/.test(measured); )
      measured = (await call(port, '/projects/shop/disk', { token })).text
  }

  test.each([
    ['while svcd runs', true],
    ['when it has stopped', false],
  ])('is in a backup that is made %s', async (_, runs) => {
    const [first, second, file] = [`a-${runs}`, `b-${runs}`, at(`${runs}.tar`)]
    await svcd(first, ['migrate'])
    const token = (await svcd(first, ['users', 'create', 'ada', '--token'])).stdout.trim()
    const backup = async () => {
      const { code, stderr } = await svcd(first, ['backup', file])
      expect([code, stderr]).toEqual([0, ''])
    }
    await whileServing(first, async port => {
      await addApp(port, token)
      expect((await call(port, '/', site)).text).toBe('x/etc/passwd')
      if (runs) await backup()
    })
    if (!runs) await backup()
    expect((await svcd(second, ['restore', file])).code).toBe(0)
    await whileServing(second, async port => {
      expect((await call(port, '/', site)).text).toBe('xx/etc/passwd')
    })
  })
})
