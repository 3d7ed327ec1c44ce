import { expect, it } from 'vitest'
import { linesOf } from './lines.ts'

it('shows the colours of a line, and none of its codes', () => {
  expect(linesOf('\x1b[32m✓\x1b[39m built\n\x1b[2Kplain\n')).toEqual([
    {
      number: 1,
      text: '✓ built',
      pieces: [{ text: '✓', colour: 'green' }, { text: ' built' }],
    },
    { number: 2, text: 'plain', pieces: [{ text: 'plain' }] },
  ])
})

it('shows what a program wrote last over the same line', () => {
  expect(linesOf('10 %\r50 %\r100 %\r\nend').map(({ text }) => text)).toEqual(['100 %', 'end'])
})
