// What an upgrade makes of hostile releases, downloads and files of the service's user, and of an upgrade before it that was killed.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Releases } from './releases.ts'
import { startUpgradable } from './upgradable.ts'

const releases = new Releases()
let good = ''
let broken = ''
beforeAll(async () => {
  await releases.make()
  good = await releases.doctored('9.0.1', {})
  broken = await releases.doctored('9.0.2', {
    program: 'if (process.argv[2] === "start") throw new Error("The doctored version is broken.")',
  })
})
afterAll(() => releases.remove())

const versionsIn = (root: string) => readdirSync(path.join(root, 'versions')).toSorted()

/** Packs a folder, with its right checksum beside it. */
function pack(folder: string, name: string, ...options: string[]): string {
  const file = path.join(folder, name)
  execFileSync('tar', ['-czf', file, '-C', folder, ...options])
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
  writeFileSync(path.join(folder, 'SHA256SUMS'), `${sum}  ${name}\n`)
  return file
}

async function serve(listener: RequestListener, host = '127.0.0.1') {
  const server = createServer(listener).listen(0, host)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

const filesOf =
  (file: string): RequestListener =>
  (req, res) => {
    res.end(readFileSync(path.join(path.dirname(file), path.basename(req.url ?? ''))))
  }

describe('an upgrade', () => {
  let platform: Awaited<ReturnType<typeof startUpgradable>>
  const start = async () => {
    platform = await startUpgradable(releases)
    return platform
  }
  const serves = async () => {
    expect([await platform.version(), platform.current()]).toEqual([releases.version, releases.version])
    expect(versionsIn(platform.root)).toEqual([releases.version])
    await platform.load.more(20)
    expect(platform.load.failed).toEqual([])
  }

  test('that is damaged, hostile or cut off on its way changes nothing', async () => {
    const { command, machine } = await start()
    const folder = path.join(machine.dataDir, 'hostile')
    mkdirSync(path.join(folder, 'package'), { recursive: true })
    const refused = async (source: string, words: string) => {
      const { code, stderr } = await command('upgrade', source)
      expect([code, stderr]).toEqual([1, expect.stringContaining(words)])
      expect(stderr).not.toMatch(/\n {4}at /)
      await serves()
    }

    // Its version leads out of the folder of versions.
    const manifest = { name: 'svcd', version: '../../escaped' }
    writeFileSync(path.join(folder, 'package/package.json'), JSON.stringify(manifest))
    await refused(pack(folder, 'version.tgz', 'package'), 'The package is no release of svcd')

    // One of its files would lie beside the folder that it is unpacked into, and one behind a link that leads out of it.
    writeFileSync(path.join(folder, 'escaped'), 'hostile')
    symlinkSync(machine.dataDir, path.join(folder, 'package/out'))
    const outside = ['--transform', 's,^escaped,package/../../escaped,', 'package', 'escaped']
    await refused(pack(folder, 'outside.tgz', '-P', ...outside), "'tar ")
    writeFileSync(path.join(folder, 'through'), 'hostile')
    const through = ['--transform', 's,^through,package/out/escaped,', 'package', 'through']
    await refused(pack(folder, 'through.tgz', ...through), 'svcd: ')
    expect(existsSync(path.join(machine.dataDir, 'escaped'))).toBe(false)

    writeFileSync(path.join(folder, 'package/package.json'), 'not JSON')
    await refused(pack(folder, 'manifest.tgz', 'package/package.json'), 'The package is no release of svcd')
    writeFileSync(path.join(folder, 'text.tgz'), 'no archive')
    const sum = createHash('sha256').update('no archive').digest('hex')
    writeFileSync(path.join(folder, 'SHA256SUMS'), `${sum}  text.tgz\n`)
    await refused(path.join(folder, 'text.tgz'), "'tar ")

    const half = await serve((req, res) => {
      if (req.url?.endsWith('SHA256SUMS')) return filesOf(good)(req, res)
      const content = readFileSync(good)
      res.writeHead(200, { 'content-length': content.length })
      res.write(content.subarray(0, content.length / 2), () => res.destroy())
    })
    await refused(`${half}/${path.basename(good)}`, 'could not be downloaded')
    // A server that says no length ends its answer by closing the connection.
    const short = await serve((req, res) => {
      if (req.url?.endsWith('SHA256SUMS')) return filesOf(good)(req, res)
      res.shouldKeepAlive = false
      res.useChunkedEncodingByDefault = false
      res.end(readFileSync(good).subarray(0, 1_000_000))
    })
    await refused(`${short}/${path.basename(good)}`, 'is not what SHA256SUMS says')
  })

  test('does not follow redirects to places where the release can be changed on its way', async () => {
    const { command } = await start()
    const elsewhere = await serve(filesOf(good), '127.0.0.2')
    const redirecting = await serve((req, res) => res.writeHead(302, { location: elsewhere + req.url }).end())
    const { code, stderr } = await command('upgrade', `${redirecting}/${path.basename(good)}`)
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not safe from changes on the way')])
    await serves()
    const endless = await serve((req, res) => res.writeHead(302, { location: req.url }).end())
    expect((await command('upgrade', `${endless}/x.tgz`)).stderr).toContain('it is redirected too often')

    const near = await serve(filesOf(good))
    const toNear = await serve((req, res) => res.writeHead(302, { location: near + req.url }).end())
    expect((await command('upgrade', `${toNear}/${path.basename(good)}`)).stdout).toContain(
      'svcd 9.0.1 runs.',
    )
  })

  test('waits for no pipe and follows no link that the user of the service left in its directory', async () => {
    const { command, machine } = await start()
    const note = path.join(machine.dataDir, 'process')
    const written = readFileSync(note, 'utf8')
    const secret = path.join(machine.dataDir, 'secret')
    for (const leave of [
      () => execFileSync('mkfifo', [note]),
      () => symlinkSync(secret, note),
      () => writeFileSync(note, '{"pid":"../tmp","startedAt":"1","api":{}}'),
      () => writeFileSync(note, 'null'),
    ]) {
      writeFileSync(secret, written)
      rmSync(note)
      leave()
      const { code, stderr } = await command('upgrade', good)
      expect([code, stderr]).toEqual([1, expect.stringContaining('No svcd that can be replaced runs on')])
    }
    rmSync(note)
    // Another program, which never stops answering.
    const endless = await serve((_req, res) => {
      const more = () => void (res.write('x'.repeat(65_536)) ? setImmediate(more) : res.once('drain', more))
      more()
    })
    const strange = await serve((_req, res) => res.end('<html>'))
    for (const url of [endless, strange]) {
      const api = { host: '127.0.0.1', port: Number(new URL(url).port) }
      writeFileSync(note, JSON.stringify({ ...JSON.parse(written), api }))
      const { code, stderr } = await command('upgrade', good)
      expect([code, stderr]).toEqual([1, expect.stringContaining('The running svcd is not healthy')])
    }
    writeFileSync(note, written)
    await serves()
  })

  test.each([
    ['goes on where one was killed', () => good, '9.0.1'],
    ['that goes on where one was killed goes back to the version that ran', () => broken, undefined],
  ])('%s', async (_, release, expected) => {
    const { command, root, version, current, load } = await start()
    // As an upgrade leaves it that is killed before the running svcd hears of it.
    const file = release()
    const wanted = path.basename(file, '.tgz').slice('svcd-'.length)
    const folder = path.join(root, 'versions', wanted)
    mkdirSync(folder)
    execFileSync('tar', ['-xzf', file, '-C', folder, '--strip-components=1'])
    rmSync(path.join(root, 'current'))
    symlinkSync(path.join('versions', wanted), path.join(root, 'current'))
    mkdirSync(path.join(root, 'versions/.upgrade-1'))
    const { ino } = statSync(folder)

    const { code, stderr } = await command('upgrade', file)
    expect([code, stderr]).toEqual([expected ? 0 : 1, expect.any(String)])
    expect([await version(), current()]).toEqual([expected ?? releases.version, expected ?? releases.version])
    // The files of the version that the command is of stay where they are.
    expect(statSync(folder).ino).toBe(ino)
    if (expected) expect(versionsIn(root)).toEqual([releases.version, expected])
    await load.more(20)
    expect(load.failed).toEqual([])
  })
})
