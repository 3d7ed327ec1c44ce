import { expect, test } from 'vitest'
import { imageFor, nodeOfImage } from './node-images.ts'

test.each([
  ['node:22-slim', '22', 'node:22-slim'],
  ['node:22.12.0', '22', 'node:22.12.0'],
  ['registry.example:5000/node:24', '24', 'registry.example:5000/node:24'],
  ['24=registry.example:5000/node', '24', 'registry.example:5000/node'],
])('%s has Node %s', (entry, version, image) => {
  expect(nodeOfImage(entry)).toEqual({ version, image })
})

test('an image without a number in its tag does not say its version', () => {
  expect(nodeOfImage('registry.example:5000/node')).toBeUndefined()
  expect(nodeOfImage('node:lts')).toBeUndefined()
})

test('an app gets the image of its version, and the standard one if it asks for none or for that', () => {
  const settings = { image: 'own/node:22-special', nodeImages: ['node:20-slim', 'node:22-slim'] }
  expect(imageFor(settings, undefined)).toBe('own/node:22-special')
  expect(imageFor(settings, '22')).toBe('own/node:22-special')
  expect(imageFor(settings, '20')).toBe('node:20-slim')
})
