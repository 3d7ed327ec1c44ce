import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestbed, type Testbed } from './testbed.ts'

let bed: Testbed

beforeEach(async () => {
  bed = await startTestbed()
})

afterEach(() => bed.stop())

const fail = async () => {
  throw new Error('away')
}

test('an unknown site is a 503 that says when to come back while the database is away', async () => {
  await bed.deploy('shop', { 'index.html': 'home' })
  bed.sites.gate = fail
  const { status, headers, text } = await bed.ask('shop', '/')
  expect(status).toBe(503)
  expect(headers['retry-after']).toBe('5')
  expect(headers['cache-control']).toBe('private, no-store')
  expect(text).toContain('Back in a moment')
  expect(bed.errors).toHaveLength(1)

  bed.sites.gate = async () => undefined
  expect(await bed.ask('shop', '/')).toMatchObject({ status: 200, text: 'home' })
})

test('a known site goes on being served while the database is away and nobody knows whether it changed', async () => {
  await bed.deploy('shop', { 'index.html': 'one', 'other.html': 'other' })
  await bed.ask('shop', '/')
  bed.sites.gate = fail
  bed.changes.tell({ topic: 'unconfirmed' })
  expect(await bed.ask('shop', '/')).toMatchObject({ status: 200, text: 'one' })
  expect(await bed.ask('shop', '/other')).toMatchObject({ status: 200, text: 'other' })
})

test.each(['before the visit', 'during the visit'])(
  'a site that is known to have changed is not shown as it was while the database is away: it may have got a password %s',
  async when => {
    await bed.deploy('shop', { 'index.html': 'one' })
    await bed.ask('shop', '/')
    const change = () => bed.changes.tell({ topic: 'project', key: 'shop' })
    bed.sites.gate = async () => {
      if (when === 'during the visit') change()
      await fail()
    }
    if (when === 'before the visit') change()
    else bed.changes.tell({ topic: 'unconfirmed' })
    expect(await bed.ask('shop', '/')).toMatchObject({ status: 503 })
  },
)

test('a deployment whose pack is gone is a 503, and told to the operator', async () => {
  const { id } = await bed.deploy('shop', { 'index.html': 'home' })
  await bed.packs.delete(id)
  expect((await bed.ask('shop', '/')).status).toBe(503)
  expect(String(bed.errors[0])).toContain(id)
})

test('a pack that is deleted while it is open is served to its end', async () => {
  const { id } = await bed.deploy('shop', { 'index.html': 'home', 'other.html': 'other' })
  await bed.ask('shop', '/')
  await bed.packs.delete(id)
  expect(await bed.ask('shop', '/other')).toMatchObject({ status: 200, text: 'other' })
})
