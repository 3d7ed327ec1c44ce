import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { slow } from './test-order.mjs'

it('every slow file that is named exists', () => {
  const missing = slow.filter(name => !existsSync(`packages${name}`) && !existsSync(name.slice(1)))
  expect(missing).toEqual([])
})
