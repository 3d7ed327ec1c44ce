// The scrub, on the real storage of a server: what it names, what it repairs, and how several processes share it.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished, test } from 'vitest'
import { openScrubPlaces } from '../compose/scrub.ts'
import { type ScrubPlace, scrub } from '../core/platform/scrub.ts'
import type { PacksSettings } from '../ports/packs/open.ts'
import type { Packs } from '../ports/packs/port.ts'
import { readS3Url } from '../ports/packs/s3/url.ts'
import { platformAdmin } from '../testing/admins.ts'
import { archiveOf } from '../testing/archives.ts'
import { S3Server } from '../testing/s3-server.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

/** Jobs that meet a damaged pack would fill the log. */
const quiet = { SVCD_LOG_LEVEL: 'silent' }
const marker = 'the words that a damaged disk changes'

/** Changes one byte of the marker, which stands in the file as it is. */
function flip(bytes: Buffer): Buffer {
  const at = bytes.indexOf(marker)
  expect(at).toBeGreaterThan(-1)
  const changed = Buffer.from(bytes)
  changed[at] = changed[at]! ^ 1
  return changed
}

const flipFile = async (file: string) => await writeFile(file, flip(await readFile(file)))

const optionsOf = (extra: Partial<Parameters<typeof scrub>[2]> = {}) => ({
  ...{ holder: 'one', host: 'host-1', goodForMs: 0, bytesPerSecond: 1e12 },
  ...{ signal: new AbortController().signal, onDamage: () => undefined },
  ...extra,
})

async function deployTo(server: TestServer, content = marker) {
  const { token } = await server.account()
  const name = freshName()
  await server.request('/projects', { method: 'POST', token, body: { name } })
  const { json } = await server.upload(token, name, archiveOf({ 'index.html': content, 'other.txt': 'x' }))
  return { token, name, id: json.deployment_id as string }
}

async function reportsOf(server: TestServer) {
  const { token } = await platformAdmin(server)
  const { checks } = (await server.request('/admin/overview', { token })).json
  const { text } = await server.request('/metrics', { token })
  return {
    check: checks.find(({ name }: { name: string }) => name === 'stored files') as {
      ok: boolean
      message: string
    },
    metrics: text.split('\n').filter(line => line.startsWith('svcd_scrub_')),
  }
}

onEveryServer(server => {
  const onDisk = async (): Promise<ScrubPlace> => {
    const dir = path.join(server().dataDir, 'packs')
    const { places } = await openScrubPlaces({ kind: 'disk', dir }, `node-${Math.random()}`)
    return places[0]!
  }
  const fileOf = (id: string) => path.join(server().dataDir, 'packs', `${id}.pack`)

  it('a byte that changed on the disk is named with its file, until the deployment is gone', async () => {
    const { token, name, id } = await deployTo(server())
    const place = await onDisk()
    const found: unknown[] = []
    const options = optionsOf({ onDamage: damage => found.push(damage) })
    expect(await scrub(server().running.platform, place, options)).toBe(true)
    expect(found).toEqual([])
    const { check, metrics } = await reportsOf(server())
    expect(check).toMatchObject({
      ok: true,
      message: expect.stringMatching(/disk of host-1 was read 0 minutes ago: \d+ packs/),
    })
    expect(metrics).toContain(`svcd_scrub_damaged_packs{place="${place.id}",host="host-1"} 0`)

    await flipFile(fileOf(id))
    server().clock.advance(1_000)
    await scrub(server().running.platform, place, options)
    expect(found).toMatchObject([{ place: place.id, pack: id, repaired: false }])
    const damaged = await reportsOf(server())
    expect(damaged.check.ok).toBe(false)
    expect(damaged.check.message).toContain(
      `${id} on the disk of host-1 (index.html do not match their checksums)`,
    )
    expect(damaged.metrics).toContain(`svcd_scrub_damaged_packs{place="${place.id}",host="host-1"} 1`)

    await server().upload(token, name, archiveOf({ 'index.html': 'anew' }))
    await server().request(`/projects/${name}/deployments/${id}`, { method: 'DELETE', token })
    expect((await reportsOf(server())).check.ok).toBe(true)
  })

  it('a pack that was repaired is no longer named after the next scrub', async () => {
    const { id } = await deployTo(server())
    const place = await onDisk()
    const whole = await readFile(fileOf(id))
    await writeFile(fileOf(id), whole.subarray(0, 20))
    await scrub(server().running.platform, place, optionsOf())
    expect((await reportsOf(server())).check.message).toContain(id)
    await writeFile(fileOf(id), whole)
    server().clock.advance(1_000)
    await scrub(server().running.platform, place, optionsOf())
    expect((await reportsOf(server())).check.ok).toBe(true)
  })

  it('a scrub that was interrupted goes on where it was, and remembers what it found', async () => {
    const ids = [await deployTo(server()), await deployTo(server())].map(({ id }) => id).sort()
    for (const id of ids) await flipFile(fileOf(id))
    const place = await onDisk()
    const interrupted = new AbortController()
    const found: string[] = []
    const onDamage = ({ pack }: { pack: string }) => {
      found.push(pack)
      interrupted.abort()
    }
    const first = scrub(server().running.platform, place, optionsOf({ signal: interrupted.signal, onDamage }))
    await expect(first).rejects.toThrow()
    server().clock.advance(1_000)
    await scrub(server().running.platform, place, optionsOf({ holder: 'two', onDamage }))
    expect(found).toEqual(ids)
    const { check } = await reportsOf(server())
    for (const id of ids) {
      expect(check.message).toContain(id)
      await rm(fileOf(id))
    }
    server().clock.advance(1_000)
    await scrub(server().running.platform, place, optionsOf())
    expect((await reportsOf(server())).check.ok).toBe(true)
  })

  it('one process reads at a time, and a place is read again only after some days', async () => {
    const { platform } = server().running
    const real = await onDisk()
    let opened!: () => void
    let goOn!: () => void
    const isOpening = new Promise<void>(resolve => (opened = resolve))
    const mayGoOn = new Promise<void>(resolve => (goOn = resolve))
    await deployTo(server())
    const open = async (id: string) => {
      opened()
      await mayGoOn
      return await real.packs.open(id)
    }
    const held: Packs = Object.assign(Object.create(real.packs), {
      open,
      list: () => real.packs.list(),
      claim: (owner: string) => real.packs.claim(owner),
      // What an earlier test deleted may still be there.
      delete: (id: string) => real.packs.delete(id),
    })
    const place = { ...real, packs: held }
    const dayMs = 24 * 3_600_000
    const first = scrub(platform, place, optionsOf({ goodForMs: 7 * dayMs }))
    await isOpening
    expect(await scrub(platform, place, optionsOf({ holder: 'two', goodForMs: 7 * dayMs }))).toBe(false)
    goOn()
    expect(await first).toBe(true)
    expect(await scrub(platform, place, optionsOf({ holder: 'two', goodForMs: 7 * dayMs }))).toBe(false)
    server().clock.advance(8 * dayMs)
    expect(await scrub(platform, place, optionsOf({ holder: 'two', goodForMs: 7 * dayMs }))).toBe(true)
  })

  it('files without a record are removed, all others stay, and those of another platform too', async () => {
    const { name, id } = await deployTo(server())
    const { platform } = server().running
    const place = await onDisk()
    const orphans = [`${id}x`, `${id}x.z`]
    const write = async () => {
      for (const orphan of orphans) {
        const sink = await platform.packs.create(orphan)
        await sink.write(Buffer.from('of no record'))
        await sink.commit()
      }
    }
    const left = async () =>
      (await readdir(path.join(server().dataDir, 'packs'))).filter(file => file.startsWith(`${id}x`))
    const mark = path.join(server().dataDir, 'packs', 'owner')
    const ours = await readFile(mark, 'utf8')
    await write()
    await writeFile(mark, 'another')
    await scrub(platform, place, optionsOf())
    expect(await left()).toHaveLength(2)
    await writeFile(mark, ours)
    server().clock.advance(1_000)
    // A speed of 0 reads nothing.
    await scrub(platform, place, optionsOf({ bytesPerSecond: 0 }))
    expect(await left()).toEqual([])
    expect((await server().site(name)).text).toBe(marker)
  })
}, quiet)

test('a damaged copy is fetched again from S3, and what is damaged there is named', async () => {
  const s3 = await S3Server.start()
  const server = await TestServer.start('sqlite', {
    SVCD_STORAGE_URL: s3.storageUrl,
    ...quiet,
  })
  onTestFinished(async () => {
    await server.remove()
    await s3.stop()
  })
  const cacheDir = path.join(server.dataDir, 'pack-cache')
  const settings: PacksSettings = {
    ...{
      kind: 's3',
      store: readS3Url(s3.storageUrl, undefined),
      uploadsDir: path.join(server.dataDir, 's3-uploads'),
    },
    ...{ cacheDir, cacheBytes: 1e9 },
  }
  const { places, close } = await openScrubPlaces(settings, 'node-1')
  onTestFinished(close)
  const [copies, storage] = places as [ScrubPlace, ScrubPlace]
  const { id, name } = await deployTo(server)
  const copy = path.join(cacheDir, `${id}.pack`)
  const original = s3.objects.get(`deep/er/${id}.pack`)!
  await server.site(name)
  await expect.poll(() => readFile(copy).catch(() => undefined)).toBeDefined()
  const found: unknown[] = []
  const options = optionsOf({ onDamage: damage => found.push(damage) })
  const { platform } = server.running

  await flipFile(copy)
  await scrub(platform, copies, options)
  expect(found.splice(0)).toMatchObject([{ place: 'node-1', pack: id, repaired: true }])
  expect((await readFile(copy)).includes(marker)).toBe(true)
  const repaired = await reportsOf(server)
  expect(repaired.check).toMatchObject({
    ok: true,
    message: expect.stringContaining('1 damaged copies were replaced'),
  })
  expect(repaired.metrics).toContain('svcd_scrub_repaired_packs_total{place="node-1",host="host-1"} 1')

  // Nothing to copy: what is left of the pack stays. The server itself would also mend a copy that it can mend.
  s3.objects.delete(`deep/er/${id}.pack`)
  await flipFile(copy)
  server.clock.advance(1_000)
  await scrub(platform, copies, options)
  expect(found.splice(0)).toMatchObject([{ place: 'node-1', pack: id, repaired: false }])
  await readFile(copy)

  s3.objects.set(`deep/er/${id}.pack`, { ...original, bytes: flip(original.bytes) })
  server.clock.advance(1_000)
  await scrub(platform, storage, options)
  expect(found).toMatchObject([{ place: 'storage', pack: id, repaired: false }])
  expect((await reportsOf(server)).check.message).toContain(`${id} on the shared storage`)
})
