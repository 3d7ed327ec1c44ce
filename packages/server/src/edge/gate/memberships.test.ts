import { beforeEach, describe, expect, it } from 'vitest'
import { Memberships } from './memberships.ts'

const minute = 60_000

describe('a membership', () => {
  let now = 0
  let asked = 0
  let answer: () => Promise<boolean> = async () => true
  let memberships: Memberships

  beforeEach(() => {
    now = 1_000_000
    asked = 0
    answer = async () => true
    const ask = () => {
      asked++
      return answer()
    }
    memberships = new Memberships(ask, { now: () => now })
  })
  const has = () => memberships.has('prj_1', 'acc_1')
  const away = async () => {
    throw new Error('the database is away')
  }

  it('is asked for once a minute, however many want to know', async () => {
    expect(await Promise.all([has(), has(), has()])).toEqual([true, true, true])
    now += minute - 1
    expect(await has()).toBe(true)
    expect(asked).toBe(1)
    now += 1
    expect(await has()).toBe(true)
    expect(asked).toBe(2)
  })

  it('ends with the first answer that says so, and begins at once', async () => {
    await has()
    answer = async () => false
    now += minute
    expect(await has()).toBe(false)
    answer = async () => true
    expect(await has()).toBe(true)
  })

  it('is believed for five minutes while the database is away, and no longer', async () => {
    await has()
    answer = away
    now += 5 * minute - 1
    expect(await has()).toBe(true)
    now += 1
    await expect(has()).rejects.toThrow('away')
  })

  it('is counted from when it was asked for, not from when the answer came', async () => {
    let release = () => undefined as undefined
    answer = () =>
      new Promise(resolve => {
        release = () => void resolve(true) as undefined
      })
    const first = has()
    now += minute
    release()
    expect(await first).toBe(true)
    answer = async () => false
    expect(await has()).toBe(false)
  })
})
