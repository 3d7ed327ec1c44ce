import { expect, test } from 'vitest'
import { ReceiveWindow, receiveWindows } from './receive-window.ts'

test('the bodies of a connection that wait for apps have at most its window, which is enlarged when they are taken', () => {
  const sent: Buffer[] = []
  const window = new ReceiveWindow(frame => void sent.push(frame))
  const half = receiveWindows.connection / 2
  expect([window.spend(half), window.keep(1_000), window.spend(half), window.spend(half - 1_000)]).toEqual([
    true,
    true,
    false,
    true,
  ])
  expect(window.spend(1)).toBe(false)
  window.free(1_000, true)
  window.credit(half)
  expect(sent.map(frame => frame.readUInt32BE(9))).toEqual([1_000, half])
  expect(window.spend(half + 1_000)).toBe(true)
})
