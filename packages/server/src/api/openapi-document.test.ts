import { setImmediate } from 'node:timers/promises'
import { openapiOperations } from '@svc/contract'
import { expect, test } from 'vitest'
import type { Platform } from '../core/base/platform.ts'
import { makeOpenapi } from './openapi-document.ts'
import { platformRoutes } from './routes/platform.ts'

const platform = (readUrl = () => 'https://api.example.com') =>
  ({
    version: '1.2.3',
    urls: {
      get api() {
        return readUrl()
      },
    },
  }) as unknown as Platform

test('the OpenAPI document is made one operation at a time, so that other requests are answered meanwhile', async () => {
  let isMade = false
  const making = makeOpenapi(platform()).then(document => {
    isMade = true
    return document
  })
  let turns = 0
  for (; !isMade; turns++) await setImmediate()
  expect(turns).toBeGreaterThanOrEqual([...openapiOperations()].length)
  expect(await making).toMatchObject({ servers: [{ url: 'https://api.example.com' }] })
})

test('the OpenAPI document is made once, however many ask for it', async () => {
  let made = 0
  const routes = platformRoutes(
    platform(() => {
      made++
      return ''
    }),
  )
  const ask = routes['GET /openapi.json']
  const [first] = await Promise.all([ask(), ask(), ask()])
  expect(await ask()).toBe(first)
  expect(made).toBe(1)
})
