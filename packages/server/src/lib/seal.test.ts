import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Keyring, SealBroken, SealKey } from './seal.ts'

const place = ['env', 'prj_1', 'KEY']

describe('a sealed value', () => {
  it('of any content opens with its key at its place', () => {
    const key = SealKey.fresh()
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), value => {
        expect(key.open(key.seal(value, place), place)).toBe(value)
      }),
    )
  })

  it('looks different every time', () => {
    const key = SealKey.fresh()
    expect(key.seal('same', place).sealed).not.toBe(key.seal('same', place).sealed)
  })

  it.each([
    ['another project', ['env', 'prj_2', 'KEY']],
    ['another name', ['env', 'prj_1', 'OTHER']],
    ['parts joined differently', ['env', 'prj_1","KEY']],
  ])('does not open at another place: %s', (_, other) => {
    const key = SealKey.fresh()
    expect(() => key.open(key.seal('secret', place), other)).toThrow(SealBroken)
  })

  it('does not open if a single bit was changed', () => {
    const key = SealKey.fresh()
    const { key_id, sealed } = key.seal('secret', place)
    const bytes = Buffer.from(sealed, 'base64')
    for (let i = 0; i < bytes.length; i++) {
      const damaged = Buffer.from(bytes)
      damaged.writeUInt8(damaged.readUInt8(i) ^ 1, i)
      expect(() => key.open({ key_id, sealed: damaged.toString('base64') }, place)).toThrow(SealBroken)
    }
    for (const sealed of ['', 'AAAA', bytes.subarray(0, 20).toString('base64')])
      expect(() => key.open({ key_id, sealed }, place)).toThrow(SealBroken)
  })
})

describe('a key', () => {
  it('has an id derived from it, and never shows its value', () => {
    const key = SealKey.fresh()
    const text = key.base64.reveal()
    expect(SealKey.parse(text)?.id).toBe(key.id)
    expect(key.id).toMatch(/^[0-9a-f]{8}$/)
    expect(inspect(key, { depth: 9 }) + JSON.stringify(key)).not.toContain(text)
    expect(SealKey.parse('c2hvcnQ=')).toBeUndefined()
  })
})

describe('a keyring', () => {
  it('seals with the current key and opens with every key that it has had', () => {
    const [old, fresh] = [SealKey.fresh(), SealKey.fresh()]
    let keys = [old]
    const ring = new Keyring(() => keys)
    const before = ring.current.seal('value', place)
    keys = [fresh]
    const after = ring.current.seal('value', place)
    expect([before.key_id, after.key_id]).toEqual([old.id, fresh.id])
    expect([ring.open(before, place), ring.open(after, place)]).toEqual(['value', 'value'])
  })

  it('reads the keys again if it does not know one', () => {
    const [old, fresh] = [SealKey.fresh(), SealKey.fresh()]
    let keys = [old]
    const ring = new Keyring(() => keys)
    const sealed = fresh.seal('value', place)
    expect(() => ring.open(sealed, place)).toThrow(`sealed with the key ${fresh.id}, which is not here`)
    keys = [fresh, old]
    expect(ring.open(sealed, place)).toBe('value')
  })
})
