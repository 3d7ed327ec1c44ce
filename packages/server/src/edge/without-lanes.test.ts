// Runs tests of the edge once more without the fast lanes: those that ask for files in the most different ways.
// `SVCD_FAST_LANES=0 npm test` runs all tests so.
import { describe, vi } from 'vitest'

vi.stubEnv('SVCD_FAST_LANES', '0')

describe.each([
  ['the edge', () => import('./edge.test.ts')],
  ['encodings, conditions and ranges', () => import('./negotiation.test.ts')],
  ['the rules of sites', () => import('./rules.test.ts')],
  ['malformed requests', () => import('./well-formed.test.ts')],
  ['ways around the gate', () => import('./gate/bypass.test.ts')],
])('without the fast lanes: %s', async (_, load) => {
  await load()
})
