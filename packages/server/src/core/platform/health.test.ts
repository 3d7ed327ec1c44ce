import { expect, test } from 'vitest'
import type { Platform } from '../base/platform.ts'
import { checkHealth } from './health.ts'

/** A platform whose storage answers when the test says so. */
function platform() {
  const waiting: { resolve(): void; reject(error: Error): void }[] = []
  const store = { check: async () => undefined }
  const packs = {
    check: () => new Promise<void>((resolve, reject) => waiting.push({ resolve, reject })),
  }
  return { waiting, checked: { store, packs } as unknown as Platform }
}

test('calls at the same time share one check, and the next call checks again', async () => {
  const { waiting, checked } = platform()
  const calls = [checkHealth(checked), checkHealth(checked), checkHealth(checked)]
  await expect.poll(() => waiting.length).toBe(1)
  waiting[0]?.resolve()
  await Promise.all(calls)
  const next = checkHealth(checked)
  await expect.poll(() => waiting.length).toBe(2)
  waiting[1]?.reject(new Error('The disk is gone.'))
  await expect(next).rejects.toThrow('The storage does not answer.')
  const last = checkHealth(checked)
  await expect.poll(() => waiting.length).toBe(3)
  waiting[2]?.resolve()
  await last
})
